import ErrorBus

// What a peer may not have read yet: section 7 of docs/wire.md, "Unread messages".
extension Script {
    static let unread: [Script] = unreadReports + unreadAnswers

    /// A node that has at most 8,000 bytes of reports on their way.
    private static let narrow = Hop.relay.made { parts, _ in
        parts.limits.unreadByteCountMax = 8_000
    }
    /// 3,000 bytes.
    private static let long = padded(3_000)

    private static func padded(_ count: Int) -> String {
        let report = Talk.report
        return report + String(repeating: " ", count: count - report.utf8.count)
    }

    private static let unreadReports: [Script] = [
        Script("Reports above the limit wait until PONG says that those before have been read") {
            talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            for number in 1...6 {
                kid.present(talk.id(number), report: long)
                if number <= 3 { try await talk.up.takes(talk.id(number), in: 0...5) }
                // PING comes with the first report that makes a quarter of the limit.
                try await talk.pause(1)
                try talk.check(number > 3 || talk.up.pingCount == 1, "one PING is outstanding")
                try await kid.hears("ACCEPTED", "id: \(talk.id(number))")
            }
            try await talk.up.hearsNothing(for: 1_000)
            talk.up.say("PONG", "n: 0")
            try await talk.up.hearsNothing(for: 100)
            talk.up.say("PONG", "n: 1")
            try await talk.up.takes(talk.id(4), in: 0...3)
            try await talk.pause(1)
            try talk.check(talk.up.pingCount == 2, "PING comes again")
            try await talk.up.hearsNothing(for: 1_000)
            // That PING came behind three, and before the fourth.
            talk.up.say("PONG", "n: 2")
            try await talk.up.takes(talk.id(5), in: 0...3)
            try await talk.up.takes(talk.id(6), in: 0...3)
        }.at(narrow),
        Script("Reports behind a parent that reads slowly are queued, as the second PING is sent") {
            talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            let start = talk.now
            for number in 1...4 {
                kid.present(talk.id(number), report: long)
                if number <= 3 { try await talk.up.takes(talk.id(number), in: 0...5) }
                try await kid.hears("ACCEPTED", "id: \(talk.id(number))")
            }
            talk.up.say("OK", "id: \(talk.id(77))")
            let said = try await kid.hears(
                "PENDING", "id: \(talk.id(4))", "state: queued", "by: hop", in: 3_700...4_010)
            try talk.check(said.time - start >= 4_000, "not before the second PING")
            talk.up.say("PONG", "n: 2")
            try await talk.up.takes(talk.id(4), in: 0...3)
            try await kid.hears("PENDING", "id: \(talk.id(4))", "state: relayed")
        }.at(narrow),
        Script("PING for reports comes again after 4 s, and what is not acknowledged waits too") {
            talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: padded(8_000))
            try await talk.up.isAsked(talk.id(1), in: 0...5)
            let start = talk.now
            try await talk.pause(1)
            try talk.check(talk.up.pingCount == 1, "PING")
            try await kid.hears("ACCEPTED")
            // No PRESENT again meanwhile, though a reply shows that the parent lives.
            try await talk.up.hearsNothing(for: 1_000)
            talk.up.say("OK", "id: \(talk.id(77))")
            try await talk.up.hearsNothing(for: 2_900)
            try await talk.pause(start + 3_999 - talk.now)
            try talk.check(talk.up.pingCount == 1, "no PING before 4 s")
            try await talk.pause(4)
            try talk.check(talk.up.pingCount == 2, "PING after 4 s")
            talk.up.say("PONG", "n: 1")
            try await talk.up.hearsNothing(for: 1_000)
            talk.up.say("PONG", "n: 2")
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 0...5_000)
        }.at(narrow),
        Script("What is on its way is sent again only once the parent has read as far") { talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            // A quarter of the limit and more, and far from the limit.
            kid.present(talk.id(1), report: long)
            try await talk.up.isAsked(talk.id(1), in: 0...5)
            try await kid.hears("ACCEPTED")
            try await talk.up.hearsNothing(for: 3_000)
            talk.up.say("PONG", "n: 1")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...1_255)
        }.at(narrow),
        Script("What was read is sent again though others are on their way, if there is room") {
            talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: long)
            try await talk.up.isAsked(talk.id(1), in: 0...5)
            talk.up.say("PONG", "n: 1")
            try await kid.hears("ACCEPTED")
            // The PING behind it stays without a PONG.
            kid.present(talk.id(2), report: long)
            try await talk.up.takes(talk.id(2), in: 0...5)
            try await kid.hears("ACCEPTED")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 800...1_255)
        }.at(narrow),
        Script("What was read waits to be sent again where there is no room") { talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: long)
            try await talk.up.isAsked(talk.id(1), in: 0...5)
            talk.up.say("PONG", "n: 1")
            try await kid.hears("ACCEPTED")
            for number in 2...4 {
                kid.present(talk.id(number), report: long)
                try await talk.up.takes(talk.id(number), in: 0...5)
                try await kid.hears("ACCEPTED")
            }
            try await talk.up.hearsNothing(for: 2_000)
            talk.up.say("PONG", "n: 2")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...1_005)
        }.at(narrow),
        Script("A new link begins without unread reports") { talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: padded(8_000))
            try await talk.up.isAsked(talk.id(1), in: 0...5)
            try await kid.hears("ACCEPTED")
            talk.up.say("BYE")
            try await kid.hears("PENDING", "state: unreachable")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 100...180)
            try await kid.hears("PENDING", "state: relayed")
        }.at(narrow),
        Script("Small reports cause no PING until there is a quarter of the limit") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for number in 1...5 {
                kid.present(talk.id(number), report: padded(400))
                try await talk.up.takes(talk.id(number), in: 0...5)
                try await kid.hears("ACCEPTED")
                try talk.check(talk.up.pingCount == number / 5, "PING comes with the fifth")
            }
        }.at(narrow),
    ]

    /// A node that has at most 2,048 bytes of answers on their way: four of them.
    private static let brief = Hop.relay.made { parts, _ in
        parts.limits.unreadByteCountMax = 2_048
    }

    private static let unreadAnswers: [Script] = [
        Script("Answers above the limit wait until PONG says that those before have been read") {
            talk in
            let kid = try await talk.hasFourUnread()
            try talk.check(kid.pingCount == 1, "one PING is outstanding")
            kid.say("PONG", "n: 0")
            try await kid.hearsNothing(for: 100)
            kid.say("PONG", "n: 1")
            try await kid.hears("ANSWER", "id: \(talk.id(5))", in: 0...3)
            try await talk.pause(1)
            try talk.check(kid.pingCount == 2, "PING comes again")
            try await kid.hearsNothing(for: 100)
            kid.say("PONG", "n: 2")
            try await kid.hears("ANSWER", "id: \(talk.id(6))", "answer: \(talk.id(106))", in: 0...3)
            for number in 1...6 {
                kid.settle(talk.id(number), "\(talk.id(100 + number))", "recovered")
                try await talk.up.learns(talk.id(number), talk.id(100 + number), "recovered")
            }
            kid.say("PONG", "n: 3")
            try await kid.hearsNothing(for: 3_000)
        }.at(brief),
        Script("What is on its way is sent again only once the child has read as far") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let id = try await talk.relayed(by: kid)
            talk.up.answer(id, as: talk.id(9))
            try await kid.hears("ANSWER", "id: \(id)")
            let start = talk.now
            try await kid.hearsNothing(for: 2_000)
            // It lives; the second PING comes after 4 s.
            try await kid.isServed()
            try await kid.hearsNothing(for: 1_900)
            try talk.check(kid.pingCount == 1, "no PING before 4 s")
            try await talk.pause(start + 4_010 - talk.now)
            try talk.check(kid.pingCount == 2, "PING after 4 s")
            kid.say("PONG", "n: 1")
            try await kid.hearsNothing(for: 1_500)
            kid.say("PONG", "n: 2")
            try await kid.hears("ANSWER", "id: \(id)", in: 0...1_005)
        }.at(brief),
        Script("PRESENT for an answer that is held back gets it at once") { talk in
            let kid = try await talk.hasFourUnread()
            kid.present(talk.id(6))
            try await kid.hears("ANSWER", "id: \(talk.id(6))", in: 2...2)
            try await kid.hearsNothing(for: 300)
        }.at(brief),
        Script("AWAIT for an answer that is held back gets it at once, in the room of the next") {
            talk in
            let kid = try await talk.hasFourUnread()
            kid.await(talk.id(5))
            try await kid.hears("ANSWER", "id: \(talk.id(5))", in: 2...2)
            kid.say("PONG", "n: 1")
            try await kid.hearsNothing(for: 100)
            try talk.check(kid.pingCount == 2, "PING comes again")
            kid.say("PONG", "n: 2")
            try await kid.hears("ANSWER", "id: \(talk.id(6))", in: 0...3)
        }.at(brief),
        Script("A presentation whose answer has to wait gets ACCEPTED in its place") { talk in
            let kid = try await talk.hasFourUnread()
            kid.present(talk.id(7))
            try await talk.up.hears("PRESENT", "id: \(talk.id(7))")
            talk.up.answer(talk.id(7), as: talk.id(107))
            try await kid.hears("ACCEPTED", "id: \(talk.id(7))", in: 0...4)
        }.at(brief),
        Script("ACCEPTED never follows an answer that comes again and has to wait") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            kid.present(talk.id(1))
            try await talk.up.hears("PRESENT", "id: \(talk.id(1))")
            talk.up.answer(talk.id(1), as: talk.id(101))
            try await kid.hears("ANSWER", "id: \(talk.id(1))")
            kid.say("PONG", "n: 1")
            for number in 2...5 {
                _ = try await talk.relayed(number, by: kid)
                talk.up.answer(talk.id(number), as: talk.id(100 + number))
                try await kid.hears("ANSWER", "id: \(talk.id(number))")
            }
            try await kid.hearsNothing(for: 1_300)
        }.at(brief),
        Script("An answer that is held back and whose origin withdraws is not sent") { talk in
            let kid = try await talk.hasFourUnread()
            kid.withdraw(talk.id(5))
            try await kid.hears("WITHDRAWN", "id: \(talk.id(5))")
            try await talk.up.learns(talk.id(5), talk.id(105), "withdrawn")
            kid.say("PONG", "n: 1")
            try await kid.hears("ANSWER", "id: \(talk.id(6))", in: 0...3)
        }.at(brief),
        Script("A new link begins without unread answers, and gets all again") { talk in
            _ = try await talk.hasFourUnread()
            let back = try await talk.child("kid")
            for number in 1...4 { try await back.hears("ANSWER", "id: \(talk.id(number))") }
            for number in 5...6 { try await back.hears("ANSWER", "id: \(talk.id(number))") }
        }.at(brief),
        Script("A child that is found again gets its answers as on a new link") { talk in
            let kid = try await talk.hasFourUnread()
            try await kid.hearsNothing(for: 12_000)
            kid.say("PING", "n: 7")
            for number in 1...4 { try await kid.hears("ANSWER", "id: \(talk.id(number))") }
            try await kid.hears("PONG", "n: 7")
        }.at(brief),
        Script("A presenter that stops leaves an answer that is held back to its next life", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            for number in 1...5 { _ = try await talk.shown(number, by: kid) }
            for number in 1...5 {
                _ = try talk.desk.answer(talk.id(number))
                try await talk.desk.hides(talk.id(number))
                if number <= 4 { try await kid.hears("ANSWER", "id: \(talk.id(number))") }
            }
            // Until the fifth is in line.
            try await kid.hearsNothing(for: 10)
            talk.stop()
            try await kid.hears("BYE")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: talk.id(5)) == nil, "no result")
        }.at(.top.made { parts, _ in parts.limits.unreadByteCountMax = 2_048 }),
    ]
}

extension Talk {
    /// Six presentations of a child are answered: it has four of the answers, and two wait until it
    /// says that it has read.
    fileprivate func hasFourUnread() async throws -> Speaker {
        try await up.isLinked()
        let kid = try await child("kid")
        kid.repliesToPing = false
        for number in 1...6 { _ = try await relayed(number, by: kid) }
        for number in 1...6 {
            up.answer(id(number), as: id(100 + number))
            if number <= 4 { try await kid.hears("ANSWER", "id: \(id(number))", in: 0...4) }
        }
        try await kid.hearsNothing(for: 500)
        return kid
    }
}
