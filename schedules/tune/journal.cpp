#include "schedules/tune/journal.h"

#include "frontend/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace halogen {

namespace {

constexpr const char* title = "halogen journal 1";

[[noreturn]] void fail_syntax(const std::string& what, int line) {
    throw Failure(
        {ErrorKind::syntax, what, {line, 1}, {}, "remove the line and those after it; the search tries them again"});
}

template<typename Number>
bool read_number(const std::string& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string print(const JournalEntry& entry) {
    std::string text;
    for (const auto& [name, value] : entry.knobs) text += fmt::format("{}={} ", name, value);
    const TrialOutcome& o = entry.outcome;
    if (o.refused.empty()) return text + fmt::format(": {} ns", o.ns);
    std::string why = o.refused;
    for (char& c : why)
        if (c == '\n' || c == '\r') c = ' ';
    return text + ": refused " + why;
}

JournalEntry parse_journal_entry(const std::string& text, int line) {
    JournalEntry entry;
    std::istringstream words(text);
    std::string word;
    while (words >> word && word != ":") {
        const std::size_t equals = word.find('=');
        std::int64_t value = 0;
        if (equals == std::string::npos || !read_number(word.substr(equals + 1), value))
            fail_syntax(fmt::format("`{}` is no knob with a value", word), line);
        entry.knobs[word.substr(0, equals)] = value;
    }
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (rest.starts_with("refused ")) {
        entry.outcome.refused = rest.substr(8);
        return entry;
    }
    if (word != ":" || !rest.ends_with(" ns") || !read_number(rest.substr(0, rest.size() - 3), entry.outcome.ns) ||
        !(entry.outcome.ns > 0))
        fail_syntax(fmt::format("`{}` tells no time and no refusal", text), line);
    return entry;
}

Journal::Journal(std::string path, const JournalHeader& header) : path_(std::move(path)) {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    std::string held = text.str();
    const std::size_t whole = held.rfind('\n') == std::string::npos ? 0 : held.rfind('\n') + 1;
    if (whole < held.size()) {
        held.resize(whole);
        std::error_code ignored;
        std::filesystem::resize_file(path_, whole, ignored);
    }
    if (!held.empty()) {
        read(held, header);
        return;
    }
    std::string begin = fmt::format("{}\n", title);
    for (const auto& [name, value] : header) begin += fmt::format("{} {}\n", name, value);
    write(begin + "\n");
}

void Journal::read(const std::string& text, const JournalHeader& header) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    if (line != title) fail_syntax(fmt::format("`{}` is no journal of a search", path_), 1);
    int number = 1;
    for (const auto& [name, value] : header) {
        number++;
        const std::string wanted = fmt::format("{} {}", name, value);
        if (!std::getline(lines, line) || line != wanted)
            throw Failure({ErrorKind::schedule,
                           fmt::format("`{}` is the journal of another search: it has `{}` where this one has `{}`",
                                       path_, line, wanted),
                           {},
                           {},
                           "remove it to begin anew, or keep records elsewhere with --records"});
    }
    for (std::getline(lines, line); std::getline(lines, line);)
        entries_.push_back(parse_journal_entry(line, ++number + 1));
}

void Journal::append(const JournalEntry& entry) {
    write(print(entry) + "\n");
    entries_.push_back(entry);
}

void Journal::write(const std::string& text) const {
    const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    const bool done = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int why = errno;
    if (file >= 0) close(file);
    if (!done)
        throw Failure({ErrorKind::io,
                       fmt::format("`{}` cannot be written: {}", path_, std::strerror(why)),
                       {},
                       {},
                       "keep records elsewhere with --records"});
}

}  // namespace halogen
