#include "schedules/history/parse.h"

#include "schedules/history/kinds.h"
#include "schedules/history/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace halogen {

namespace {

std::vector<std::string> names(TextCursor& text, const char* role) {
    std::vector<std::string> list;
    do list.push_back(text.name(role));
    while (text.take(","));
    return list;
}

Tail parse_tail(TextCursor& text) {
    const Position at = text.position();
    const std::string word = text.name("a tail");
    for (const Tail tail :
         {Tail::exact, Tail::guard, Tail::predicate, Tail::round_up, Tail::shift_inwards, Tail::separate})
        if (word == to_string(tail)) return tail;
    throw Failure({ErrorKind::syntax,
                   fmt::format("unknown tail `{}`", word),
                   {at.line, at.column + 1},
                   {},
                   "the tails are exact, guard, predicate, round_up, shift_inwards and separate"});
}

void parse_with(TextCursor& text, Step& step) {
    text.expect("with");
    step.at_func = text.name("a Func");
    text.expect(".");
    step.at_stage = static_cast<int>(text.integer("a stage"));
    text.expect(".");
    step.at_loop = text.name("a loop");
}

void parse_part(TextCursor& text, Step& step, StepPart part) {
    switch (part) {
    case StepPart::tensor: step.tensor = text.name("a tensor"); break;
    case StepPart::loops:
    case StepPart::list: step.loops = names(text, "a loop"); break;
    case StepPart::made:
        text.expect("->");
        step.made = names(text, "a new name");
        break;
    case StepPart::factor: step.factor = parse_formula(text); break;
    case StepPart::by_tile:
    case StepPart::by_two:
    case StepPart::by:
        text.expect("by");
        step.factor = parse_formula(text);
        if (part == StepPart::by) break;
        text.expect(",");
        step.second = parse_formula(text);
        while (part == StepPart::by_tile && text.take(",")) step.extents.push_back(parse_formula(text));
        break;
    case StepPart::tail:
        text.expect("tail");
        step.tail = parse_tail(text);
        break;
    case StepPart::rest:
        if (text.next_is("tail")) parse_part(text, step, StepPart::tail);
        break;
    case StepPart::cut:
        if (!text.next_is("by")) break;
        parse_part(text, step, StepPart::by);
        if (text.take(",")) step.second = parse_formula(text);
        for (const StepPart inside : {StepPart::made, StepPart::tail}) parse_part(text, step, inside);
        break;
    case StepPart::dims:
        text.expect("dim");
        do step.dims.push_back(static_cast<int>(text.integer("a dim")));
        while (text.take(","));
        break;
    case StepPart::panel:
        if (!text.take("dim")) break;
        step.dim = static_cast<int>(text.integer("a dim"));
        for (const char* word : {"in", "panels", "of"}) text.expect(word);
        step.factor = parse_formula(text);
        if (text.take("by")) step.second = parse_formula(text);
        break;
    case StepPart::level:
        if (!text.take("at")) break;
        step.at_loop = text.name("a Func, or root");
        if (step.at_loop == "root" && !text.next_is(".")) break;
        step.at_func = step.at_loop;
        text.expect(".");
        step.at_loop = text.name("a loop");
        break;
    case StepPart::at:
        step.at_func = text.name("a Func");
        text.expect(".");
        step.at_loop = text.name("a loop");
        break;
    case StepPart::with: parse_with(text, step); break;
    case StepPart::when:
        text.expect("when");
        step.when = parse_condition(text);
        break;
    }
}

const KindRow& parse_kind(TextCursor& text) {
    const Position at = text.position();
    const std::string word = text.name("a kind of step");
    if (const KindRow* row = find_kind(word)) return *row;
    throw Failure({ErrorKind::syntax,
                   fmt::format("there is no kind of step `{}`", word),
                   {at.line, at.column + 1},
                   {},
                   "the kinds are listed in docs/schedule-steps.md"});
}

Step parse_line(TextCursor& text) {
    Step step{StepKind::split, {}};
    if (!text.name_then("")) {
        step.id = static_cast<int>(text.integer("a step"));
        text.expect(":");
        if (step.id < 1) text.fail("step numbers count from 1");
    }
    step.func = text.name("a Func");
    text.expect(".");
    step.stage = static_cast<int>(text.integer("a stage"));
    const KindRow& row = parse_kind(text);
    step.kind = row.kind;
    for (const StepPart part : row.parts) parse_part(text, step, part);
    if (const auto wrong = wrong_counts(step)) text.fail(wrong->what, wrong->fix);
    if (text.take("knob")) step.knob = text.name("a knob");
    if (text.take("from")) step.origin = text.name("an origin");
    if (text.take("#")) step.note = text.rest();
    if (!text.at_end()) text.fail("the step ends here, and more follows");
    return step;
}

struct Line {
    std::string_view text;
    int number;
    int indent = 0;  // leading spaces
};

std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::string_view left = text;
    for (int number = 1; !left.empty(); number++) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        Line line{left.substr(0, end), number};
        if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
        line.indent = static_cast<int>(std::min(line.text.find_first_not_of(' '), line.text.size()));
        line.text.remove_prefix(line.indent);
        lines.push_back(line);
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return lines;
}

Knob parse_knob(TextCursor& text) {
    Knob knob{text.name("a knob")};
    text.expect("=");
    knob.value = text.integer("a value");
    text.expect("in");
    do knob.domain.push_back(text.integer("a value"));
    while (text.take(","));
    if (std::find(knob.domain.begin(), knob.domain.end(), knob.value) == knob.domain.end())
        text.fail(fmt::format("knob `{}` has the value {}, which is not in its domain", knob.name, knob.value));
    return knob;
}

class Reader {
public:
    explicit Reader(const std::string& text) : lines_(lines_of(text)) {}

    Schedule read() {
        read_header();
        if (history_.header.version == schedule_version)
            while (skip_to_block()) schedule_.push_back(read_block());
        else
            schedule_.push_back(read_steps_of(history_, 0));
        return std::move(schedule_);
    }

private:
    void read_header() {
        if (lines_.empty() || !lines_[0].text.starts_with("halogen ")) return;
        TextCursor first(lines_[0].text, 1);
        first.expect("halogen");
        first.expect("history");
        const auto version = static_cast<int>(first.integer("a version"));
        if (version != history_version && version != schedule_version)
            first.fail(fmt::format("this history has format {}, known are {} and {}", version, history_version,
                                   schedule_version),
                       "use the halogen that wrote it");
        history_.header.version = version;
        for (next_ = 1; next_ < lines_.size() && !lines_[next_].text.empty(); next_++)
            read_field(lines_[next_], history_);
    }

    bool skip_to_block() {
        for (; next_ < lines_.size(); next_++) {
            const Line& line = lines_[next_];
            if (line.text.starts_with("variant ")) return true;
            if (!line.text.empty() && line.text.front() != '#')
                TextCursor(line.text, line.number, line.indent + 1)
                    .fail("a variant begins here", "write variant NAME when FACTS:, or variant any:");
        }
        if (schedule_.empty())
            throw Failure(
                {ErrorKind::syntax, "this history has no variant", {}, {}, "write variant any: and steps below it"});
        return false;
    }

    /// `variant rows when dense(A) and N <= 16:`, and what stands below.
    History read_block() {
        const Line& title = lines_[next_++];
        TextCursor text(title.text, title.number, title.indent + 1);
        History block = history_;
        block.header.version = history_version;
        text.expect("variant");
        block.variant.name = text.name("a variant");
        if (block.variant.name == "any") block.variant.name.clear();
        for (const History& other : schedule_)
            if (other.variant.name == block.variant.name)
                text.fail(fmt::format("there are two variants `{}`", called(block.variant)),
                          "give each a name of its own");
        if (text.take("when")) block.variant.when = parse_facts(text);
        text.expect(":");
        if (!text.at_end()) text.fail("the variant's title ends here, and more follows");
        for (; next_ < lines_.size() && is_field(lines_[next_]); next_++) read_field(lines_[next_], block);
        return read_steps_of(std::move(block), 1);
    }

    static bool is_field(const Line& line) {
        return line.indent == 2 && (line.text == "rewrite equations" || line.text == "merge dims" ||
                                    line.text.starts_with("state ") || line.text.starts_with("knob "));
    }

    History read_steps_of(History history, int depth) {
        read_steps(history.steps, depth);
        history.comments = std::move(comments_);
        comments_.clear();
        check_names(history);
        return history;
    }

    static void read_field(const Line& line, History& history) {
        TextCursor text(line.text, line.number, line.indent + 1);
        HistoryHeader& h = history.header;
        if (line.text == "rewrite equations" || line.text == "merge dims") {
            (line.text == "rewrite equations" ? history.variant.rewritten : history.variant.merged) = true;
            return;
        }
        const std::pair<const char*, std::string*> fields[] = {{"kernel", &h.kernel}, {"key", &h.key},
                                                               {"halide", &h.halide}, {"leg", &h.leg},
                                                               {"target", &h.target}, {"state", &h.state}};
        for (const auto& [word, value] : fields)
            if (text.take(word)) {
                *value = text.rest();
                return;
            }
        if (!text.take("knob"))
            text.fail("this is no field of a header",
                      "the fields are kernel, key, halide, leg, target, state and knob; an empty line ends the header");
        do h.knobs.push_back(parse_knob(text));
        while (text.take(";"));
        if (!text.at_end()) text.fail("the knob ends here, and more follows", "write ; between knobs");
    }

    void read_steps(std::vector<Step>& steps, int depth) {
        while (next_ < lines_.size()) {
            const Line& line = lines_[next_];
            if (line.text.empty() || line.text.front() == '#') {
                if (!line.text.empty()) comments_.emplace_back(line.text.substr(1));
                next_++;
            } else if (line.indent < 2 * depth) {
                return;
            } else if (line.indent == 2 * depth) {
                TextCursor text(line.text, line.number, line.indent + 1);
                steps.push_back(parse_line(text));
                steps.back().comments = std::move(comments_);
                comments_.clear();
                next_++;
            } else if (line.indent == 2 * (depth + 1) && !steps.empty() && steps.back().kind == StepKind::specialize) {
                read_steps(steps.back().nested, depth + 1);
            } else {
                throw Failure(
                    {ErrorKind::syntax,
                     fmt::format("this step is indented by {} spaces, expected are {}", line.indent, 2 * depth),
                     {line.number, line.indent + 1},
                     {},
                     "steps stand two spaces further in below a specialize, and nowhere else"});
            }
        }
    }

    /// Numbers are given once, and knobs are declared.
    static void check_names(const History& history) {
        std::set<int> ids;
        std::set<std::string> knobs;
        for (const Knob& knob : history.header.knobs) knobs.insert(knob.name);
        each_step(history.steps, [&](const Step& step) {
            if (step.id && !ids.insert(step.id).second)
                throw Failure({ErrorKind::syntax,
                               fmt::format("two steps have the number {}", step.id),
                               {},
                               {},
                               "number each step once"});
            if (!step.knob.empty() && !knobs.count(step.knob))
                throw Failure({ErrorKind::syntax,
                               fmt::format("step `{}`: there is no knob `{}`", print(step), step.knob),
                               {},
                               {},
                               "declare the knob in the header"});
        });
    }

    std::vector<Line> lines_;
    std::size_t next_ = 0;
    std::vector<std::string> comments_;
    History history_;  // what the header says
    Schedule schedule_;
};

}  // namespace

Result<Schedule> parse_schedule(const std::string& text) {
    return guarded([&] { return Reader(text).read(); });
}

Result<History> parse_history(const std::string& text) {
    return guarded([&] { return only_variant(Reader(text).read(), "").value(); });
}

Result<Step> parse_step(const std::string& line) {
    return guarded([&] {
        TextCursor text(line, 1);
        return parse_line(text);
    });
}

}  // namespace halogen
