// Halogen: the forms of the table of operations, called as a user's program calls them.
#include "halogen.h"

#include <sstream>

using namespace bench;

namespace {

std::vector<std::int64_t> numbers_between(const std::string& text, char separator) {
    std::vector<std::int64_t> numbers;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, separator);) numbers.push_back(std::stoll(part));
    return numbers;
}

/// A tensor written as `NAME=EXTENTS@OFFSET/BYTES`: extents as `2x3`, the offset in elements, the bytes of one element.
Use::Place place(Operation& operation, const std::string& text) {
    const auto equals = text.find('='), at = text.find('@'), slash = text.find('/');
    const std::string name = text.substr(0, equals);
    const auto extents = numbers_between(text.substr(equals + 1, at - equals - 1), 'x');
    const std::int64_t offset = std::stoll(text.substr(at + 1)), item = std::stoll(text.substr(slash + 1));
    char* data = name == "RESULT"            ? operation.result<char>()
                 : operation.has_input(name) ? operation.input<char>(name)
                                             : operation.scratch<char>(name, operation.result_bytes());
    return {data + offset * item, extents};
}

void good(const halogen::Status& status) {
    if (!status) throw std::runtime_error(std::string(status.message()));
}

/// A line `name kernel times start`, tab-separated, then tensors with `=` and `@`, parameters as `T=2`.
void add_form(Operation& operation, const std::string& line) {
    std::istringstream words(line);
    std::string name, kernel, times, start, word;
    std::getline(words, name, '\t');
    std::getline(words, kernel, '\t');
    std::getline(words, times, '\t');
    std::getline(words, start, '\t');
    const auto adaptor = adaptors().find(kernel);
    if (adaptor == adaptors().end()) return;  // it did not compile
    Use use;
    use.threads = operation.threads;
    while (words >> word) {
        const auto equals = word.find('=');
        if (word.find('@') != std::string::npos) {
            use.tensors.push_back(place(operation, word));
        } else {
            use.parameters[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
        }
    }
    const Call call = adaptor->second(use);
    Form form{name, [call] { good(call()); }};
    if (const int count = std::stoi(times); count > 1) {  // from one buffer to the other and back
        std::swap(use.tensors.at(0), use.tensors.at(1));
        const Call back = adaptor->second(use);
        form.call = [call, back, count] {
            for (int i = 0; i < count; i++) good(i % 2 == 0 ? call() : back());
        };
    }
    if (!start.empty()) {
        form.prepare = [&operation, start] {
            std::memcpy(operation.result<char>(), operation.input<char>(start),
                        static_cast<std::size_t>(operation.result_bytes()));
        };
    }
    operation.forms.push_back(std::move(form));
}

}  // namespace

int main(int argc, char** argv) {
    return serve(argc, argv, "halogen", [](Operation& operation) {
        for (const auto& line : operation.form_lines) add_form(operation, line);
    });
}
