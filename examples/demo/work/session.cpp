#include "session.h"

#include "timing.h"

#include <algorithm>

namespace halogen::demo {

Session::Session(Picture photo, std::string leg)
    : photo_(std::move(photo)), leg_(std::move(leg)), colors_(make_array<float, 3>({photo_.height, photo_.width, 3})) {
    std::copy(photo_.samples.begin(), photo_.samples.end(), colors_.data());
}

void Session::hold(const Contest& contest) {
    Call call = contest.call;
    const auto eigen = [&](int threads) {
        run_rows(contest.eigen, contest.rows, threads);
        contest.merge();
    };
    call.difference = -1;
    for (const int threads : {1, 2}) {
        must(contest.halogen(threads));
        eigen(threads);
        const Agreement a = contest.compare();
        call.elements = a.elements;
        call.outside = std::max(call.outside, a.outside);
        call.share = std::max(call.share, a.share);
        if (a.difference > call.difference || std::isnan(a.difference)) {
            call.difference = a.difference;
            call.bound = a.bound;
        }
    }
    for (const int threads : {1, 2}) {
        const auto ns = time_in_turns({[&] { (void)contest.halogen(threads); }, [&] { eigen(threads); }});
        (threads == 1 ? call.one : call.two) = {ns[0], ns[1]};
    }
    send(call);
}

}  // namespace halogen::demo
