#include "schedules/history/facts.h"

#include "schedules/history/text_cursor.h"

#include <algorithm>
#include <optional>

namespace halogen {

namespace {

CallFact dense_fact(TextCursor& text) {
    CallFact fact{CallFact::Kind::dense};
    for (const char* word : {"dense", "("}) text.expect(word);
    fact.tensor = text.name("a tensor");
    text.expect(")");
    return fact;
}

CallFact place_fact(TextCursor& text) {
    CallFact fact{CallFact::Kind::place};
    fact.place = parse_term(text);
    return fact;
}

CallFact relation(TextCursor& text) {
    CallFact fact;
    fact.left = parse_formula(text);
    if (text.take("==") || text.take("=")) {
        fact.right = parse_formula(text);
        return fact;
    }
    fact.kind = CallFact::Kind::at_most;
    if (text.take("<=")) {
        fact.right = parse_formula(text);
    } else if (text.take(">=")) {
        fact.right = fact.left;
        fact.left = parse_formula(text);
    } else if (text.take("<")) {
        fact.right = parse_formula(text) - Formula(1);
    } else if (text.take(">")) {
        fact.right = fact.left - Formula(1);
        fact.left = parse_formula(text);
    } else {
        text.fail("a fact is a relation of sizes, `dense(TENSOR)`, or one of strides",
                  "for example R == 3 and dense(X) and stride(F, 1) == 1");
    }
    return fact;
}

}  // namespace

std::string print(const CallFact& fact) {
    if (fact.kind == CallFact::Kind::dense) return "dense(" + fact.tensor + ")";
    if (fact.kind == CallFact::Kind::place) return print(fact.place);
    return print(fact.left) + (fact.kind == CallFact::Kind::equal ? " == " : " <= ") + print(fact.right);
}

std::string print(const Facts& facts) {
    std::string text;
    for (const CallFact& fact : facts) text += (text.empty() ? "" : " and ") + print(fact);
    return text;
}

Facts parse_facts(TextCursor& text) {
    Facts facts;
    do {
        const bool called = text.name_then("(");
        if (called && text.next_is("dense"))
            facts.push_back(dense_fact(text));
        else if (called && (text.next_is("stride") || text.next_is("apart") || text.next_is("threads")))
            facts.push_back(place_fact(text));
        else
            facts.push_back(relation(text));
    } while (text.take("and") || text.take(","));
    return facts;
}

bool are_dense(const Facts& facts, const std::string& tensor) {
    return std::any_of(facts.begin(), facts.end(),
                       [&](const CallFact& f) { return f.kind == CallFact::Kind::dense && f.tensor == tensor; });
}

Settings sizes_in(const Facts& facts) {
    Settings sizes;
    for (const CallFact& fact : facts) {
        const auto name = fact.left.as_symbol();
        const std::optional<std::int64_t> value = fact.right.constant();
        if (fact.kind == CallFact::Kind::equal && name && value) sizes[*name] = value;
    }
    return sizes;
}

const CallFact* broken_relation(const Facts& facts, const Solution& open, const Bindings& sizes) {
    for (const CallFact& fact : facts) {
        if (fact.kind == CallFact::Kind::dense || fact.kind == CallFact::Kind::place) continue;
        try {
            const std::int64_t left = evaluate(fact.left.substitute(open.sizes), sizes),
                               right = evaluate(fact.right.substitute(open.sizes), sizes);
            if (fact.kind == CallFact::Kind::equal ? left != right : left > right) return &fact;
        } catch (const Failure&) {
            return &fact;
        }
    }
    return nullptr;
}

}  // namespace halogen
