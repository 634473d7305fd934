// One method a level of binding, loosest first.

#include "frontend/formula/read.h"

namespace halogen {

Formula FormulaReader::sum() {
    Formula f = product();
    for (;;) {
        if (take("+"))
            f = f + product();
        else if (take("-"))
            f = f - product();
        else
            return f;
    }
}

Formula FormulaReader::product() {
    Formula f = operand();
    for (;;) {
        if (take("*"))
            f = f * operand();
        else if (take("/"))
            f = floor_div(f, operand());
        else if (take("%"))
            f = remainder(f, operand());
        else
            return f;
    }
}

Formula FormulaReader::operand() {
    constexpr int deepest = 200;
    if (++depth_ > deepest) fail_nested();
    const Formula f = take("-") ? -operand() : primary();
    --depth_;
    return f;
}

Formula FormulaReader::primary() {
    if (take("(")) {
        const Formula f = sum();
        expect(")");
        return f;
    }
    const auto function = take_function();
    if (!function) return leaf();
    Formula f = sum();
    expect(",");
    do f = (*function)(f, sum());
    while (take(","));
    expect(")");
    return f;
}

}  // namespace halogen
