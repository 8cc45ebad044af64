import ErrorBus

// Silences: what they keep from people, until when, and how they are counted.
extension Script {
    private static func request(
        _ code: Int = 7, option: String? = nil, onlyWithholds: Bool = false, by: String = "ann"
    ) -> Silence.Request {
        Silence.Request(
            pattern: .null, match: .code(code), option: option, onlyWithholds: onlyWithholds,
            by: by, comment: "Known.")
    }

    /// The silence answers this error, after so many milliseconds.
    private static func answers(
        _ number: Int, _ talk: Talk, _ kid: Speaker, option: String = "retry",
        by: String = "silence 1 (ann)", report: String = Talk.trouble(),
        in time: ClosedRange<UInt64> = 0...150, line: Int = #line
    ) async throws {
        kid.present(talk.id(number), report: report, attempt: 1)
        if time.lowerBound > 150 { try await kid.hears("ACCEPTED", line: line) }
        let from = talk.now
        let said = try await kid.hearsAmong(
            "ANSWER", "option: \(option)", "by: \(by)", "via: policy", within: time.upperBound,
            line: line)
        try talk.check(
            time.contains(said.time - from + 55) || time.contains(said.time - from),
            "after \(said.time - from) ms", line: line)
        kid.say(
            "SETTLED", "id: \(talk.id(number))", "answer: \(said["answer"] ?? "")",
            "result: failed")
        try await talk.pause(5)
    }

    static let silences: [Script] = [
        Script("A silence withholds what it is about, until it ends, and counts it", .silencing) {
            talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            let silence = try silences.add(request(), for: .seconds(10))
            try talk.check(silence.number == 1 && silence.isActive(at: .now), "it is the first")
            kid.present(talk.id(1))
            try await kid.isWithheld(talk.id(1))
            try talk.check(
                talk.ends(of: 1) == ["withheld silence 1 (ann)"], "\(talk.ends(of: 1))")
            let counted = try silences.silence(1)
            try talk.check(counted.withheldCount == 1 && counted.answeredCount == 0, "counted")
            try talk.check(counted.lastAt != nil, "it says when")
            try talk.check(
                talk.beside.kept.map(\.number) == [1] && talk.beside.kept[0].isAnswered == false,
                "it is told")
            try await talk.shown(2, by: kid, report: Talk.trouble(8))
            try await talk.withdraws(2, by: kid)
            try await talk.pause(10_000)
            try await talk.shown(3, by: kid)
            try await talk.withdraws(3, by: kid)
            try talk.check(try silences.silence(1).withheldCount == 1, "one is counted")
        },
        Script(
            "A silence answers with its option, else with the report's own for expiry",
            .silencing
        ) { talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "retry"), for: .seconds(100))
            try await answers(1, talk, kid)
            let counted = try silences.silence(1)
            try talk.check(counted.answeredCount == 1 && counted.withheldCount == 0, "counted")
            try talk.check(talk.beside.kept.map(\.isAnswered) == [true], "it is told")
            let other = Talk.trouble(7, options: #"{"id": "skip", "title": "Skip"}"#)
            kid.present(talk.id(2), report: other)
            try await kid.isWithheld(talk.id(2))
            try await answers(
                3, talk, kid, option: "skip",
                report: other.replacing(#""code""#, with: #""onExpiry": "skip", "code""#))
            try await answers(
                4, talk, kid, report: Talk.trouble(7, #""onExpiry": "skip""#))
        },
        Script("A silence that only withholds answers nothing", .silencing) { talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "retry", onlyWithholds: true), for: .seconds(99))
            kid.present(talk.id(1), report: Talk.trouble(7, #""onExpiry": "skip""#))
            try await kid.isWithheld(talk.id(1))
        },
        Script(
            "Of two silences the older one decides, and each is in force for itself",
            .silencing
        ) { talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "retry"), for: .seconds(10))
            _ = try silences.add(request(option: "skip", by: "bob"), for: .seconds(100))
            try talk.check(silences.all.map(\.number) == [2, 1], "the newest first")
            try await answers(1, talk, kid)
            try await talk.pause(10_000)
            try await answers(2, talk, kid, option: "skip", by: "silence 2 (bob)")
            try talk.check(
                silences.all.map(\.answeredCount) == [1, 1], "each counts its own")
        },
        Script("A person ends a silence early, once", .silencing) { talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            let silence = try silences.add(request(), for: .seconds(100))
            let ended = try silences.end(1, by: "bob")
            try talk.check(ended.endedBy == "bob" && !ended.isActive(at: .now), "it has ended")
            func refusal(_ body: () throws -> Void) -> SilenceRefusal? {
                do { try body() } catch { return error as? SilenceRefusal }
                return nil
            }
            try talk.check(
                refusal { _ = try silences.end(1, by: "ann") } == .ended(1, at: ended.endsAt),
                "not twice")
            try talk.check(
                refusal { _ = try silences.end(2, by: "ann") } == .unknown(2), "nor another one")
            try await talk.shown(1, by: kid)
            try await talk.withdraws(1, by: kid)
            // The end cannot be stored.
            silences.reopen(silence)
            try talk.check(try silences.silence(1) == silence, "it is as before")
            kid.present(talk.id(2))
            try await kid.isWithheld(talk.id(2))
            silences.drop(1)
            try talk.check(silences.all.isEmpty, "it is gone")
            try await talk.shown(3, by: kid)
            try await talk.withdraws(3, by: kid)
            try talk.check(
                try silences.add(request(), for: .seconds(9)).number == 2, "numbers differ")
        },
        Script("A silence about everything, too short or too long, is refused", .silencing) {
            talk in
            let silences = talk.beside.silences
            let all = Silence.Request(pattern: .null, match: RuleMatch(), by: "ann", comment: "c")
            try talk.check(
                silences.refusal(of: all, for: .seconds(60)) == .matchesEverything, "all")
            let range: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)
            try talk.check(
                silences.refusal(of: request(), for: .milliseconds(999)) == .duration(range),
                "too short")
            try talk.check(
                silences.refusal(of: request(), for: .seconds(30 * 86_400 + 1)) == .duration(range),
                "too long")
            try talk.check(
                silences.refusal(of: request(), for: .seconds(30 * 86_400)) == nil, "30 days")
            for number in 2...500 {
                try talk.check(
                    silences.refusal(of: request(), for: .seconds(2)) == nil, "500 may be active")
                // Not all of it in one job.
                if number.isMultiple(of: 50) { try await talk.pause(1) }
            }
            try talk.check(
                silences.refusal(of: request(), for: .seconds(2)) == .tooMany(allowed: 500),
                "no more")
            try await talk.pause(2_000)
            try talk.check(
                silences.refusal(of: request(), for: .seconds(2)) == nil, "once others have ended")
            try talk.check(silences.all.count == 202, "\(silences.all.count) are kept")
        },
        Script("Costly patterns of all silences together are limited", .silencing) { talk in
            let silences = talk.beside.silences
            let glob = try TextPattern("*" + String(repeating: "a", count: 200) + "*")
            let match = RuleMatch(domain: Array(repeating: glob, count: 5))
            let request = Silence.Request(pattern: .null, match: match, by: "ann", comment: "c")
            let allowed = 5 * RuleMatch.stepCountMax
            let fitting = allowed / match.stepCount
            for _ in 0..<fitting { _ = try silences.add(request, for: .seconds(5)) }
            let found = (fitting + 1) * match.stepCount
            do {
                _ = try silences.add(request, for: .seconds(5))
                try talk.check(false, "one more is taken")
            } catch let refusal as SilenceRefusal {
                try talk.check(
                    refusal == .tooCostly(found: found, allowed: allowed), "\(refusal)")
            }
            try await talk.pause(5_000)
            _ = try silences.add(request, for: .seconds(5))
        },
        Script("What a silence answers again and again is delayed more each time", .silencing) {
            talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "retry"), for: .seconds(3_000))
            let delays: [UInt64] = [0, 0, 0, 1, 2, 4, 8, 16, 32, 32]
            for (count, delay) in delays.enumerated() {
                let from = delay * 1_000
                try await answers(
                    count, talk, kid, report: Talk.trouble(7, #""retryCount": \#(count)"#),
                    in: from...(from + 150))
            }
        },
        Script("A silence that ends while its answer waits leaves it to people", .silencing) {
            talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "retry"), for: .seconds(3_000))
            let report = Talk.trouble(7, #""retryCount": 8"#)
            kid.present(talk.id(1), report: report)
            try await kid.hears("ACCEPTED")
            try await talk.pause(4_000)
            _ = try silences.end(1, by: "ann")
            try await talk.desk.shows(talk.id(1), in: 0...1_100)
            try await kid.hears("PENDING", "state: presented")
            try await talk.withdraws(1, by: kid)
            try talk.check(try silences.silence(1).answeredCount == 0, "nothing is counted")
            // What it only withholds has no delay.
            _ = try silences.add(request(), for: .seconds(10))
            kid.present(talk.id(2), report: report)
            try await kid.isWithheld(talk.id(2))
        },
        Script("A silence chooses no option that two people choose: people are asked", .silencing) {
            talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            _ = try silences.add(request(option: "wipe"), for: .seconds(100))
            try await talk.shown(1, by: kid, report: Talk.trouble(7, options: Talk.wipe))
            try await talk.withdraws(1, by: kid)
            try talk.check(
                try silences.silence(1).answeredCount == 0 && talk.beside.kept.isEmpty,
                "nothing is counted")
        },
        Script(
            "Silences of an earlier life are in force, and new ones have new numbers",
            .silencing
        ) { talk in
            let (kid, silences) = (try await talk.child("kid"), talk.beside.silences)
            func stored(_ number: Int, _ code: Int, _ time: Duration) -> Silence {
                Silence(
                    number: number, request: request(code, by: "bob"), createdAt: .now,
                    endsAt: .now + time)
            }
            silences.restore(
                [stored(5, 7, .seconds(60)), stored(3, 8, .seconds(-1))], lastNumber: 4)
            kid.present(talk.id(1))
            try await kid.isWithheld(talk.id(1))
            try talk.check(
                talk.ends(of: 1) == ["withheld silence 5 (bob)"], "\(talk.ends(of: 1))")
            try await talk.shown(2, by: kid, report: Talk.trouble(8))
            try await talk.withdraws(2, by: kid)
            try talk.check(
                try silences.add(request(), for: .seconds(9)).number == 6, "the next is 6")
            let other = Silences(now: { .now })
            other.restore([stored(5, 7, .seconds(60))], lastNumber: 9)
            try talk.check(
                try other.add(request(), for: .seconds(9)).number == 10, "the next is 10")
        },
    ]
}

extension Silences {
    /// The reason why it takes no such silence; nil where it takes it.
    fileprivate func refusal(
        of request: Silence.Request, for time: Duration
    ) -> SilenceRefusal? {
        do throws(SilenceRefusal) { _ = try add(request, for: time) } catch { return error }
        return nil
    }
}
