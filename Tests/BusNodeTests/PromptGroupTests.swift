import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a person reads of a group of equal prompts, and of its answer.
struct PromptGroupTests {
    private static func group(_ descriptions: String...) -> PromptGroup {
        PromptGroup(
            members: descriptions.enumerated().map { index, description in
                let report = ErrorReport(domain: "d", description: description)
                return PromptGroup.Member(
                    number: index + 1, text: PromptText(Prompts.prompt(report)))
            })
    }

    private static let retry = ErrorReport.Option(id: "retry", title: "Retry")
    private static let wipe = ErrorReport.Option(id: "wipe", title: "Wipe", role: .destructive)
    private static let word = "Type yes to confirm; anything else cancels."

    @Test("A26 Different descriptions are listed, and need a word as a destructive option does")
    func confirmation() {
        #expect(!Self.group("Boom", "Boom").needsConfirmation(of: Self.retry))
        #expect(Self.group("Boom").needsConfirmation(of: Self.wipe))
        #expect(
            Self.group("Boom").confirmation(of: Self.wipe)
                == ["  Wipe?", "  This cannot be undone. \(Self.word)"])
        #expect(
            Self.group("Boom", "Boom").confirmation(of: Self.wipe)
                == ["  Wipe for 2 like this?", "  This cannot be undone. \(Self.word)"])
        let differing = Self.group("Disk a", "Disk b", "Disk a")
        #expect(differing.needsConfirmation(of: Self.retry))
        #expect(
            differing.confirmation(of: Self.retry)
                == [
                    "  │ Disk a", "  │ Disk b",
                    "  Retry for 3 like this, with 2 different descriptions?", "  \(Self.word)",
                ])
    }

    @Test("A26 Many are answered only after the word, which says how many")
    func large() {
        func group(of count: Int) -> PromptGroup {
            PromptGroup(
                members: Array(repeating: Self.group("Boom").members[0], count: count))
        }
        let most = ConsoleLimits.unconfirmedCountMax
        #expect(!group(of: most).needsConfirmation(of: Self.retry))
        #expect(group(of: most + 1).needsConfirmation(of: Self.retry))
        #expect(
            group(of: 1_000).confirmation(of: Self.retry)
                == ["  Retry for 1000 like this?", "  \(Self.word)"])
    }

    @Test("A26 Different reasons of one description are listed, and need the word")
    func reasons() {
        let reasons: [String?] = [nil, "Disk\u{1B} full", "Disk\u{1B} full"]
        let members = reasons.enumerated().map { index, reason -> PromptGroup.Member in
            var report = ErrorReport(domain: "d", description: "Boom")
            report.failureReason = reason
            return PromptGroup.Member(
                number: index + 1, text: PromptText(Prompts.prompt(report)))
        }
        let group = PromptGroup(members: members)
        #expect(group.needsConfirmation(of: Self.retry))
        #expect(
            group.confirmation(of: Self.retry)
                == [
                    "  │ no reason", "  │ Disk\\u{1B} full",
                    "  Retry for 3 like this, with 2 different reasons?", "  \(Self.word)",
                ])
        #expect(group.details().first == "  like     #1 worker: no reason")
        #expect(group.details().last == "  like     #3 worker: Disk\\u{1B} full")
        #expect(!PromptGroup(members: [members[1]]).needsConfirmation(of: Self.retry))
    }

    @Test("What a person has claimed at a console is answered only after the word")
    func claimed() {
        let group = Self.group("Boom", "Boom", "Boom")
        let console = Inbox("console")
        let until = ManualTime().now + .seconds(86_400)
        for (member, person) in zip(group.members, ["bob", "a\u{1B}n"]) {
            member.text.prompt.claimed(by: person, until: until, in: console)
        }
        #expect(group.needsConfirmation(of: Self.retry))
        #expect(
            group.confirmation(of: Self.retry)
                == [
                    "  claimed by bob, a\\u{1B}n", "  Retry for 3 like this?", "  \(Self.word)",
                ])
        for member in group.members {
            member.text.prompt.released(by: "console", in: console)
        }
        #expect(!group.needsConfirmation(of: Self.retry))
    }

    @Test("The details of a group have its members with their numbers, at most 20 of them")
    func details() {
        #expect(Self.group("Boom").details().isEmpty)
        #expect(
            Self.group("Boom", "Boom").details()
                == ["  like     #1 worker", "  like     #2 worker"])
        #expect(Self.group("a", "b").details().last == "  like     #2 worker: b")
        let member = Self.group("Boom").members[0]
        let many = PromptGroup(members: Array(repeating: member, count: 23)).details()
        #expect(many.count == 21 && many.last == "  and 3 more")
    }

    @Test("The answer to a group is shown once it is recorded for all, with what it does not reach")
    func tally() {
        func lines(_ ends: Bool...) -> [String] {
            var tally = AnswerTally("retry", count: ends.count)
            for end in ends {
                #expect(!tally.isOver)
                tally.ended(isRecorded: end)
            }
            #expect(tally.isOver)
            return tally.lines
        }
        let why = "not recorded: the presentation ended first, or the log says why"
        #expect(lines(true) == ["  answered: retry"])
        #expect(lines(false) == ["  refused: \(why)"])
        #expect(lines(true, true, true) == ["  answered: retry for 3"])
        #expect(lines(true, false, true) == ["  answered: retry for 2", "  refused: 1 \(why)"])
    }
}
