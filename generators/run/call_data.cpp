#include "generators/run/call_data.h"

#include "frontend/interpret/arithmetic.h"
#include "frontend/solve/solve.h"
#include "generators/files/npy.h"
#include "generators/files/output.h"
#include "generators/files/png.h"
#include "generators/run/random_tensor.h"

#include <fmt/format.h>

#include <charconv>

namespace halogen {

namespace {

constexpr std::int64_t most_elements = (std::int64_t{1} << 31) - 1;

Failure wrong(ErrorKind kind, std::string what, std::string fix) {
    return Failure(Error{kind, std::move(what), {}, "", std::move(fix)});
}

std::string input_names(const Kernel& kernel) {
    std::string names;
    for (const Tensor* t : kernel.inputs()) names += (names.empty() ? "`" : ", `") + t->name + "`";
    return names.empty() ? "none" : names;
}

void refuse_large(const std::string& name, const std::vector<std::int64_t>& extents) {
    if (count_elements(extents) <= most_elements) return;
    throw wrong(ErrorKind::overflow,
                fmt::format("`{}` has more than 2^31 - 1 elements: [{}]", name, fmt::join(extents, ", ")),
                "run the kernel on parts of it");
}

Tensors read_inputs(const Kernel& kernel, const Options& options) {
    Tensors inputs;
    for (const std::string& item : options.in) {
        const auto [name, path] = split_assignment(item, "--in");
        const Tensor* tensor = kernel.find_tensor(name);
        if (!tensor || tensor->role != Role::input)
            throw wrong(ErrorKind::name, fmt::format("the kernel has no input `{}`", name),
                        fmt::format("its inputs are {}", input_names(kernel)));
        if (inputs.count(name))
            throw wrong(ErrorKind::usage, fmt::format("--in gives `{}` twice", name), "leave one of them out");
        inputs[name] = read_tensor(*tensor, path);
        refuse_large(name, inputs[name].extents());
    }
    return inputs;
}

ScalarValue parse_scalar(const std::string& name, Type type, const std::string& text) {
    const char *begin = text.data(), *end = begin + text.size();
    if (is_float(type)) {
        double value = 0;
        const auto [rest, error] = std::from_chars(begin, end, value);
        if (error == std::errc() && rest == end) return round_to_storage(type, value);
    } else {
        std::int64_t value = 0;
        const bool boolean = type == Type::boolean && (text == "true" || text == "false");
        if (boolean) return std::int64_t{text == "true"};
        const auto [rest, error] = std::from_chars(begin, end, value);
        if (error == std::errc() && rest == end && value >= lowest_integer(type) && value <= highest_integer(type))
            return value;
    }
    throw wrong(ErrorKind::type,
                fmt::format("--param {}={}: `{}` is {}, and this is no such number", name, text, name, to_string(type)),
                is_float(type) ? "give a number, such as 0.5" : "give an integer that the type holds");
}

/// Sorts --param into scalars and sizes.
Scalars read_params(const Kernel& kernel, const Options& options, Settings& settings) {
    Scalars scalars;
    for (const std::string& item : options.param) {
        const auto [name, text] = split_assignment(item, "--param");
        if (kernel.find_size(name)) {
            if (settings.count(name))
                throw wrong(ErrorKind::usage, fmt::format("`{}` is given twice", name), "leave one of them out");
            settings.merge(parse_settings({item}));
            continue;
        }
        const ScalarParam* scalar = kernel.find_scalar(name);
        if (!scalar) {
            std::string names;
            for (const ScalarParam& s : kernel.scalars) names += (names.empty() ? "`" : ", `") + s.name + "`";
            throw wrong(ErrorKind::name, fmt::format("the kernel has no scalar `{}`", name),
                        names.empty() ? "it has none; sizes are given with --set"
                                      : fmt::format("its scalars are {}; sizes are given with --set", names));
        }
        if (scalars.count(name))
            throw wrong(ErrorKind::usage, fmt::format("--param gives `{}` twice", name), "leave one of them out");
        scalars[name] = parse_scalar(name, scalar->type, text);
    }
    return scalars;
}

/// The values that --random gives to scalars lie in [0.5, 1.5): a scale, a width or an epsilon must not be 0.
void complete_scalars(const Kernel& kernel, Scalars& scalars, const std::optional<std::uint64_t>& seed) {
    for (std::size_t i = 0; i < kernel.scalars.size(); i++) {
        const ScalarParam& s = kernel.scalars[i];
        if (scalars.count(s.name)) continue;
        if (!seed)
            throw wrong(ErrorKind::underdetermined, fmt::format("the scalar `{}` has no value", s.name),
                        fmt::format("give it with --param {}=…", s.name));
        if (is_float(s.type))
            scalars[s.name] = round_to_storage(s.type, 0.5 + static_cast<double>((*seed + 7 * i) % 16) / 16);
        else
            scalars[s.name] = std::int64_t{1};
    }
}

/// Every size must be a number now.
void require_numbers(const Kernel& kernel, const Solution& solution) {
    if (!solution.symbols.empty()) {
        std::string names;
        for (const std::string& s : solution.symbols) names += (names.empty() ? "`" : ", `") + s + "`";
        throw wrong(
            ErrorKind::underdetermined,
            fmt::format("{} {} no value", names, solution.symbols.size() == 1 ? "has" : "have"),
            fmt::format("give {} with --set, or all inputs with --in", solution.symbols.size() == 1 ? "it" : "them"));
    }
    for (const Tensor& t : kernel.tensors) {
        std::vector<std::int64_t> extents;
        for (const Formula& e : solution.extents.at(t.name)) extents.push_back(e.constant().value_or(0));
        refuse_large(t.name, extents);
    }
}

}  // namespace

std::string describe(Type type, const std::vector<std::int64_t>& extents) {
    return fmt::format("{}[{}]", to_string(type), fmt::join(extents, ", "));
}

HostTensor read_tensor(const Tensor& tensor, const std::string& path) {
    const std::string bytes = read_file(path);
    HostTensor value;
    if (is_npy(bytes))
        value = parse_npy(bytes, path, tensor.type).value();
    else if (is_png(bytes))
        value = parse_png(bytes, path).value();
    else
        throw wrong(ErrorKind::io,
                    fmt::format("`{}` is neither a .npy file nor a PNG{}", path, bytes.empty() ? ": it is empty" : ""),
                    "save the array with numpy.save");
    if (value.type() != tensor.type)
        throw wrong(ErrorKind::type,
                    fmt::format("`{}` is {}, but `{}` holds {}", tensor.name, to_string(tensor.type), path,
                                to_string(value.type())),
                    fmt::format("convert the file, or declare `{}: {}[...]` and cast in the equation", tensor.name,
                                to_string(value.type())));
    if (value.rank() != tensor.rank)
        throw wrong(ErrorKind::rank,
                    fmt::format("`{}` has {} dim{}, but `{}` holds {}", tensor.name, tensor.rank,
                                tensor.rank == 1 ? "" : "s", path, describe(value.type(), value.extents())),
                    "reshape the file's array");
    return value;
}

std::string tensor_file(const HostTensor& value, const std::string& path) {
    const bool picture = path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0;
    return picture ? print_png(value, path).value() : print_npy(value);
}

CallData prepare_call(const Kernel& kernel, const Options& options, bool required) {
    CallData call;
    Settings settings = parse_settings(options.set);
    call.inputs = read_inputs(kernel, options);
    call.scalars = read_params(kernel, options, settings);
    std::optional<std::uint64_t> seed = options.random;
    if (!seed && !required) seed = 0;
    for (const Tensor* t : kernel.inputs()) {
        const auto given = call.inputs.find(t->name);
        if (given == call.inputs.end()) {
            if (!seed)
                throw wrong(ErrorKind::name, fmt::format("the input `{}` is missing", t->name),
                            fmt::format("give it with --in {}=FILE, or fill it with --random SEED", t->name));
            continue;
        }
        for (int d = 0; d < t->rank; d++) {
            const std::string name = fmt::format("{}.{}", t->name, d);
            const std::int64_t extent = given->second.extents()[d];
            const auto known =
                settings.insert_or_assign(name, settings.count(name) && settings[name] ? settings[name] : extent)
                    .first->second;
            if (known != extent)
                throw wrong(ErrorKind::contradictory,
                            fmt::format("--set {}={}, but the file of `{}` has extent {} in dim {}", name, *known,
                                        t->name, extent, d),
                            "leave --set out, or give another file");
        }
    }
    call.numbers = solve(kernel, settings).value();
    require_numbers(kernel, call.numbers);
    complete_scalars(kernel, call.scalars, seed);
    for (const Tensor* t : kernel.inputs())
        if (!call.inputs.count(t->name)) call.inputs[t->name] = random_tensor(kernel, call.numbers, *t, *seed);
    return call;
}

}  // namespace halogen
