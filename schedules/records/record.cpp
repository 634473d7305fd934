#include "schedules/records/record.h"

#include "schedules/history/parse.h"
#include "schedules/history/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace halogen {

namespace {

constexpr const char* title = "halogen record 1";

std::string sizes_text(const KnobValues& sizes, const char* separator) {
    std::string text;
    for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : separator, name, value);
    return text;
}

/// Reads a record line by line.
class RecordReader {
public:
    explicit RecordReader(const std::string& text) : lines_(text) {}

    Record read() {
        next();
        if (line_ != title) fail("this is no record", "a record begins with `halogen record 1`");
        next();
        Record record;
        record.program = field("program");
        record.leg = field("leg");
        record.machine = field("machine");
        record.sizes = sizes(field("sizes"));
        record.threads = number<int>("threads");
        record.seed = number<std::uint64_t>("seed");
        record.tried = number<int>("tried");
        record.recipe_ns = number<double>("recipe_ns");
        record.best_ns = number<double>("best_ns");
        field("kernel");
        for (; line_.starts_with("  "); next()) record.kernel += line_.substr(2) + "\n";
        if (!line_.empty()) fail("the kernel's text is followed by an empty line", "indent its lines by two spaces");
        std::ostringstream rest;
        rest << lines_.rdbuf();
        record.history = parse_history(rest.str()).value();
        return record;
    }

private:
    void next() {
        line_.clear();
        number_++;
        std::getline(lines_, line_);
    }

    [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
        throw Failure({ErrorKind::syntax, what, {number_, 1}, {}, fix});
    }

    std::string field(const std::string& name) {
        if (line_ != name && !line_.starts_with(name + " "))
            fail(fmt::format("the field `{}` is missing", name), "write it as `halogen tune` does");
        const std::string value = line_.size() > name.size() ? line_.substr(name.size() + 1) : "";
        next();
        return value;
    }

    template<typename Number>
    Number convert(const std::string& text) const {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            fail(fmt::format("`{}` is no number", text), "write it as `halogen tune` does");
        return value;
    }

    template<typename Number>
    Number number(const std::string& name) {
        return convert<Number>(field(name));
    }

    KnobValues sizes(const std::string& text) const {
        KnobValues values;
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            const std::size_t equals = std::min(word.find('='), word.size() - 1);
            values[word.substr(0, equals)] = convert<std::int64_t>(word.substr(equals + 1));
        }
        return values;
    }

    std::istringstream lines_;
    std::string line_;
    int number_ = 0;
};

bool agrees(const Record& record, const KnobValues& estimates) {
    return std::all_of(record.sizes.begin(), record.sizes.end(), [&](const auto& size) {
        const auto estimate = estimates.find(size.first);
        return estimate == estimates.end() || estimate->second == size.second;
    });
}

}  // namespace

std::string print(const Record& r) {
    std::string text =
        fmt::format("{}\nprogram {}\nleg {}\nmachine {}\nsizes {}\nthreads {}\nseed {}\ntried {}\n", title, r.program,
                    r.leg, r.machine, sizes_text(r.sizes, " "), r.threads, r.seed, r.tried);
    text += fmt::format("recipe_ns {}\nbest_ns {}\nkernel\n", r.recipe_ns, r.best_ns);
    std::istringstream lines(r.kernel);
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    return text + "\n" + print(r.history);
}

Result<Record> parse_record(const std::string& text) {
    return guarded([&] { return RecordReader(text).read(); });
}

bool is_record(const std::string& text) { return text.starts_with("halogen record "); }

std::string file_name(const Record& record) {
    const std::string& name = record.history.header.kernel;
    const std::string sizes = sizes_text(record.sizes, "-");
    return fmt::format("{}-{}{}.txt", name.empty() ? record.program : name, record.leg,
                       sizes.empty() ? "" : "-" + sizes);
}

std::optional<History> recorded_history(const std::vector<Record>& records, const Kernel& kernel,
                                        const Variant& variant, const Leg& leg, const KnobValues& estimates) {
    if (records.empty()) return std::nullopt;
    const std::string key = history_key(kernel);
    for (const Record& record : records) {
        if (record.program != key || record.leg != leg.name || !agrees(record, estimates)) continue;
        const Program from = parse(record.kernel).value();
        History history = prepare(record.history, kernel, ReplayMode::rebind, &from.kernels.at(0)).value().history;
        if (history.variant == variant) return history;
    }
    return std::nullopt;
}

}  // namespace halogen
