#include "frontend/solve/settings.h"

#include "frontend/base/checked.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

bool is_index(const KernelModel& model, const std::string& name) {
    return std::any_of(model.indices.begin(), model.indices.end(), [&](const auto& indices) {
        return std::find(indices.begin(), indices.end(), name) != indices.end();
    });
}

/// The dim that "X.0" names; null where `X` has no such dim.
const DimModel* dim_of(const KernelModel& model, const Symbol& name) {
    const auto tensor = model.dims.find(name.name);
    const auto number = static_cast<std::size_t>(name.number);
    return name.is_dim() && tensor != model.dims.end() && number < tensor->second.size() ? &tensor->second[number]
                                                                                         : nullptr;
}

void give_dim(Sizes& s, const std::string& setting, const Symbol& name, std::optional<std::int64_t> value) {
    const DimModel* dim = dim_of(*s.model, name);
    if (!dim)
        throw Failure(error_of(
            ErrorKind::name,
            fmt::format("`{}` names no dim: `{}` has rank {}", setting, name.name, s.model->dims.at(name.name).size()),
            "dims count from 0"));
    if (!value) return;
    if (dim->name) return set_number(s, *dim->name, *value, setting);
    const Reason why{-1, name.name, name.number, "", fmt::format("`{}` is given", setting)};
    s.equalities.push_back({dim->extent, *value, why, false, true});
}

/// What a name of the caller's stands for: a size, or the extent of a dim.
Formula size_named(const Sizes& s, const std::string& name) {
    if (s.classes.has(name)) return Formula::symbol(name);
    if (const DimModel* dim = dim_of(*s.model, Symbol::of(name))) return dim->extent;
    throw Failure(error_of(ErrorKind::name, fmt::format("`{}` is no size, parameter or dim of the kernel", name),
                           "name a size, or a dim as X.0"));
}

void apply_equality(Sizes& s, const SizeEquality& e) {
    const Formula a = size_named(s, e.first), b = size_named(s, e.second);
    const auto x = a.as_symbol(), y = b.as_symbol();
    if (x && y) return join(s, *x, *y, {-1, "", e.first, e.second});
    const Reason why{-1, "", -1, "", fmt::format("`{}` is to equal `{}`", e.first, e.second)};
    s.equalities.push_back({a, b, why, false, true});
}

}  // namespace

void set_number(Sizes& s, const std::string& name, std::int64_t value, const std::string& setting) {
    if (value < 0)
        throw Failure(
            error_of(ErrorKind::negative, fmt::format("`{}` is {}", setting, value), "give a size of at least 0"));
    if (value > largest_extent) fail_overflow(fmt::format("`{}` = {} is past 2^62", setting, value));
    const auto& before = s.classes.value(name);
    if (before && !(*before == Formula(value))) {
        const auto first = s.given.find(s.classes.root(name));
        fail(s,
             error_of(ErrorKind::contradictory,
                      fmt::format("`{}` is {} but `{}` is {}, and both are one size",
                                  first == s.given.end() ? name : first->second, print(*before), setting, value),
                      "give one of them, or equal values"),
             {});
    }
    s.classes.set_value(name, value);
    s.given.emplace(s.classes.root(name), setting);
    derive(s, name, Derivation::How::given, -1, {}, setting);
}

void join(Sizes& s, const std::string& a, const std::string& b, const Join& why) {
    const auto &x = s.classes.value(a), &y = s.classes.value(b);
    if (x && y && !(*x == *y)) {
        const About about{{Formula::symbol(a), Formula::symbol(b)}};
        if (!why.condition.empty())
            fail(s,
                 error_of(ErrorKind::contradictory,
                          fmt::format("`{}` is {} but `{}` is {}, and the condition `{}` does not hold", why.first,
                                      print(*x), why.second, print(*y), why.condition),
                          "give sizes for which it holds"),
                 about);
        if (why.index.empty())
            fail(s,
                 error_of(ErrorKind::contradictory,
                          fmt::format("`{}` is {} but `{}` is {}, and they are to be equal", why.first, print(*x),
                                      why.second, print(*y)),
                          "give equal values, or leave the equality out"),
                 about);
        fail(s,
             error_at(s.kernel(), ErrorKind::contradictory,
                      fmt::format("index `{}` has extent {} in {} but {} in {}", why.index, print(*x), why.first,
                                  print(*y), why.second),
                      why.equation, fmt::format("make both extents equal, or give {} its own index", why.second)),
             about);
    }
    const auto x_given = s.given.find(s.classes.root(a)), y_given = s.given.find(s.classes.root(b));
    const std::string setting = x_given != s.given.end()   ? x_given->second
                                : y_given != s.given.end() ? y_given->second
                                                           : "";
    const auto derivation = s.derivations.find(s.classes.root(x ? a : b));
    const auto kept = derivation == s.derivations.end() ? std::nullopt : std::optional(derivation->second);
    s.classes.join(a, b, why);
    if (kept) s.derivations.try_emplace(s.classes.root(a), *kept);
    if (!setting.empty()) s.given.emplace(s.classes.root(a), setting);
}

Sizes&& apply_settings(Sizes&& s, const Settings& known, const std::vector<SizeEquality>& equal) {
    for (const auto& [name, value] : known) {
        const Symbol symbol = Symbol::of(name);
        if (symbol.is_dim() && s.model->dims.contains(symbol.name)) {
            give_dim(s, name, symbol, value);
        } else if (s.classes.has(name)) {
            if (value) set_number(s, name, *value, name);
        } else if (!is_index(*s.model, name)) {
            throw Failure(error_of(ErrorKind::name,
                                   fmt::format("`{}` is no size, parameter, dim or index of the kernel", name),
                                   "name a size, a dim as X.0, or an index"));
        }
    }
    for (const SizeParam& p : s.kernel().sizes) {
        if (!p.default_value || known.contains(p.name) || s.classes.value(p.name)) continue;
        s.classes.set_value(p.name, *p.default_value);
        derive(s, p.name, Derivation::How::standard, -1, {}, "");
    }
    for (const SizeEquality& e : equal) apply_equality(s, e);
    return std::move(s);
}

}  // namespace halogen
