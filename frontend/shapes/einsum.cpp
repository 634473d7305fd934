#include "frontend/shapes/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace halogen::shapes {

namespace {

/// Labels as numbers: letters by their code; the dims of an ellipsis, counted from its last, are negative.
using Labels = std::vector<int>;

std::string index_name(int label) {
    return label < 0             ? fmt::format("e{}", -label)
           : std::islower(label) ? std::string(1, static_cast<char>(label))
                                 : fmt::format("u{}", static_cast<char>(std::tolower(label)));
}

std::string places(const Labels& labels) {
    std::string text;
    for (const int label : labels) text += (text.empty() ? "" : ", ") + index_name(label);
    return text;
}

struct Subscripts {
    std::vector<Labels> operands;
    Labels result;
};

class Reader {
public:
    Reader(Call& call, std::string text, const std::vector<Shape>& shapes)
        : call_(call), text_(std::move(text)), shapes_(shapes) {
        std::erase(text_, ' ');
    }

    Subscripts read() {
        const std::size_t arrow = text_.find("->");
        const std::string left = text_.substr(0, arrow);
        Subscripts subscripts;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            const std::size_t end = std::min(left.find(',', begin), left.size());
            if (begin > left.size()) fail(fmt::format("there are {} tensors but fewer subscripts", shapes_.size()));
            subscripts.operands.push_back(labels(left.substr(begin, end - begin), static_cast<int>(shapes_[i].size())));
            begin = end + 1;
        }
        if (begin <= left.size()) fail(fmt::format("there are more subscripts than the {} tensors", shapes_.size()));
        subscripts.result = arrow == std::string::npos ? implied(subscripts.operands) : result(text_.substr(arrow + 2));
        return subscripts;
    }

private:
    [[noreturn]] void fail(const std::string& because) const {
        call_.refuse(Refused::equation, fmt::format("`{}`: {}", text_, because));
    }

    /// The labels of one operand, whose rank says how many dims an ellipsis stands for.
    Labels labels(const std::string& text, int rank) {
        Labels labels;
        const std::size_t dots = text.find("...");
        const int named = static_cast<int>(text.size()) - (dots == std::string::npos ? 0 : 3);
        if (dots == std::string::npos ? named != rank : named > rank)
            fail(fmt::format("`{}` does not fit a tensor of {} dims", text, rank));
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i != dots) {
                labels.push_back(letter(text[i]));
                continue;
            }
            for (int e = rank - named; e > 0; --e) labels.push_back(-e);
            ellipsis_ = std::max(ellipsis_, rank - named);
            i += 2;
        }
        return labels;
    }

    int letter(char c) const {
        if (!std::isalpha(static_cast<unsigned char>(c))) fail(fmt::format("`{}` is no label: labels are letters", c));
        return c;
    }

    Labels result(const std::string& text) const {
        Labels labels;
        const std::size_t dots = text.find("...");
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i == dots) {
                for (int e = ellipsis_; e > 0; --e) labels.push_back(-e);
                i += 2;
                continue;
            }
            if (std::find(labels.begin(), labels.end(), letter(text[i])) != labels.end())
                fail(fmt::format("`{}` stands twice behind the arrow", text[i]));
            labels.push_back(text[i]);
        }
        return labels;
    }

    /// Without an arrow: the ellipsis, then the letters that stand once, in alphabetical order.
    Labels implied(const std::vector<Labels>& operands) const {
        std::map<int, int> count;
        for (const Labels& labels : operands) {
            for (const int label : labels) ++count[label];
        }
        Labels result;
        for (int e = ellipsis_; e > 0; --e) result.push_back(-e);
        for (const auto& [label, times] : count) {
            if (label > 0 && times == 1) result.push_back(label);
        }
        return result;
    }

    Call& call_;
    std::string text_;
    const std::vector<Shape>& shapes_;
    int ellipsis_ = 0;
};

/// One extent a label: a diagonal has one, operands among each other broadcast.
std::map<int, Formula> extents_of(Call& call, const Subscripts& subscripts, const std::vector<Shape>& shapes) {
    std::map<int, Formula> extents;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        std::map<int, Formula> own;
        for (std::size_t d = 0; d < shapes[i].size(); ++d) {
            const auto [at, fresh] = own.emplace(subscripts.operands[i][d], shapes[i][d]);
            if (!fresh)
                call.require(equal(at->second, shapes[i][d]), Refused::equation, [&, &at = at] {
                    return fmt::format("one extent along the diagonal `{}`", index_name(at->first));
                });
        }
        for (const auto& [label, extent] : own) {
            const auto [at, fresh] = extents.emplace(label, extent);
            if (!fresh) at->second = broadcast(call, at->second, extent);
        }
    }
    return extents;
}

}  // namespace

Shape einsum(Call& call, const std::string& equation, const std::vector<Shape>& shapes) {
    if (shapes.empty()) call.refuse(Refused::empty_list, "there is no tensor");
    const Subscripts subscripts = Reader(call, equation, shapes).read();
    const std::map<int, Formula> extents = extents_of(call, subscripts, shapes);
    std::string parameters, product;
    std::map<std::string, Shape> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Labels& labels = subscripts.operands[i];
        std::string dims;
        Shape stretched;
        for (const int label : labels) {
            dims += fmt::format("{}S{}", dims.empty() ? "" : ", ", index_name(label));
            stretched.push_back(extents.at(label));
        }
        const std::string name = fmt::format("t{}", i);
        parameters += fmt::format("{}{}: f32[{}]", i ? ", " : "", name, dims);
        product += fmt::format("{}{}[{}]", i ? "*" : "", name, places(labels));
        inputs.emplace(name, stretched);
    }
    for (const int label : subscripts.result) {
        if (!extents.contains(label))
            call.refuse(Refused::equation,
                        fmt::format("`{}`: `{}` stands behind the arrow alone", equation, index_name(label)));
    }
    return call.derive(
        fmt::format("kernel k({}) -> Y: f32 {{ Y[{}] += {} }}", parameters, places(subscripts.result), product),
        inputs)[0];
}

}  // namespace halogen::shapes
