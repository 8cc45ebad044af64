import ErrorBus

// Groups: what people do with equal errors at once.
extension Script {
    static let groups: [Script] = [
        Script("A group has its oldest member first, its highest severity and its origins", .top) {
            talk in
            let (kid, sis) = (try await talk.child("kid"), try await talk.child("sis"))
            let report: (String) -> String = {
                Talk.trouble(7, #""coalesceKey": "k", "severity": "\#($0)""#)
            }
            let first = try await talk.shown(1, by: kid, report: report("warning"))
            let second = try await talk.shown(2, by: kid, report: report("critical"))
            let third = try await talk.shown(3, by: sis, report: report("info"))
            let group = try talk.desk.group()
            try talk.check(group.members == [first, second, third], "\(group.members)")
            try talk.check(group.first.id == first, "the oldest one stands for it")
            try talk.check(group.severity == .critical, "\(group.severity)")
            try talk.check(group.originCount == 2, "\(group.originCount)")
            for number in [1, 2] { try await talk.withdraws(number, by: kid) }
            try await talk.withdraws(3, by: sis)
            try talk.check(talk.desk.inbox.groups.isEmpty, "no group is left")
        },
        Script("Groups are listed by severity, then by age", .top) { talk in
            let kid = try await talk.child("kid")
            let report: (Int, String) -> String = {
                Talk.trouble($0, #""severity": "\#($1)""#)
            }
            let first = try await talk.shown(1, by: kid, report: report(1, "warning"))
            let second = try await talk.shown(2, by: kid, report: report(2, "error"))
            let third = try await talk.shown(3, by: kid, report: report(3, "error"))
            let fourth = try await talk.shown(4, by: kid, report: report(4, "info"))
            let order = talk.desk.inbox.groups.map(\.first.id)
            try talk.check(order == [second, third, first, fourth], "\(order)")
            for number in 1...4 { try await talk.withdraws(number, by: kid) }
        },
        Script("An answer to a group serves what its author saw and chose", .top) { talk in
            let (kid, sis) = (try await talk.child("kid"), try await talk.child("sis"))
            let (first, second) = (
                try await talk.shown(1, by: kid), try await talk.shown(2, by: sis)
            )
            let third = try await talk.shown(3, by: sis)
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            let seen = inbox.revision
            let fourth = try await talk.shown(4, by: kid)
            try inbox.claim(second, by: "bob")
            try await sis.hears("PENDING", "id: \(second)", "state: claimed")
            let given = try inbox.answerGroup(
                group, only: [first, second, fourth], option: "retry", by: "ann",
                id: talk.id(9).value, seen: seen, comment: "all")
            try talk.check(given.answered == [first], "\(given.answered)")
            try talk.check(
                given.answers == [talk.id(9).value.act(on: first)], "\(given.answers)")
            try talk.check(
                Set(given.refused.keys) == [second] && given.refused[second]?.isClaimed == true,
                "\(given.refused)")
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid, "by: ann")
            let again = try inbox.answerGroup(
                group, option: "retry", by: "bob", id: talk.id(8).value)
            try talk.check(again.answered == [second, third, fourth], "\(again.answered)")
            try await talk.desk.hidesAll([second, third, fourth])
            try await talk.allCarriedOut([2, 3], by: sis, "by: bob")
            try await talk.carriedOut(4, by: kid, "by: bob")
        },
        Script(
            "A request for a group that comes again is acknowledged, and answers the rest",
            .top
        ) { talk in
            let kid = try await talk.child("kid")
            let (first, second) = (
                try await talk.shown(1, by: kid), try await talk.shown(2, by: kid)
            )
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            func answer(_ chosen: Set<PresentationID>?, _ option: String = "retry") throws
                -> GroupAnswer
            {
                try inbox.answerGroup(
                    group, only: chosen, option: option, by: "ann", id: talk.id(9).value)
            }
            let one = try answer([first])
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid)
            let both = try answer(nil)
            try talk.check(both.answered == [first, second], "\(both.answered)")
            try talk.check(both.answers.first == one.answers.first, "it is the same answer")
            try await talk.desk.hides(second)
            try await talk.carriedOut(2, by: kid)
            try talk.check(try answer(nil).answered == [first, second], "both again")
            try talk.check(try answer(nil, "skip").refused.count == 2, "both are refused")
            try talk.desk.refuses(for: \.isUnknownGroup) {
                _ = try inbox.answerGroup(group, option: "retry", by: "ann")
            }
            // A later equal error is in a new group.
            let third = try await talk.shown(3, by: kid)
            try talk.check(try talk.desk.group().number != group, "it is another group")
            try talk.check(try talk.desk.group().members == [third], "of one")
            try await talk.withdraws(3, by: kid)
        },
        Script("Held answers of a group are undone by their ids", .top) { talk in
            let kid = try await talk.child("kid")
            let ids = [
                try await talk.shown(1, by: kid), try await talk.shown(2, by: kid),
                try await talk.shown(3, by: kid),
            ]
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            let given = try inbox.answerGroup(
                group, option: "retry", by: "ann", of: "a", undo: .seconds(8))
            try talk.check(given.answered == ids, "\(given.answered)")
            try talk.check(inbox.groups.isEmpty && inbox.openCount == 0, "no group is open")
            let undone = try inbox.undoGroup(group, only: Set(given.answers.prefix(2)))
            try talk.check(undone == Array(ids.prefix(2)), "\(undone)")
            for id in ids.prefix(2) {
                try await kid.hears("PENDING", "id: \(id)", "state: claimed", "by: ann")
                try talk.desk.reads(id) { $0.holder == "a" && $0.group != group }
            }
            try talk.check(inbox.openCount == 2, "two are open")
            try talk.desk.refuses(for: \.isNothingToUndo) {
                _ = try inbox.undoGroup(group, only: [talk.id(9).value])
            }
            try talk.desk.refuses(for: \.isUnknownGroup) {
                _ = try inbox.undoGroup(99, only: Set(given.answers))
            }
            try await talk.desk.hides(ids[2], in: 7_900...8_100)
            try await talk.carriedOut(3, by: kid)
            for number in [1, 2] { try await talk.withdraws(number, by: kid) }
        },
        Script("A person claims and releases a group, but for what others have claimed", .top) {
            talk in
            let kid = try await talk.child("kid")
            let ids = [
                try await talk.shown(1, by: kid), try await talk.shown(2, by: kid),
                try await talk.shown(3, by: kid),
            ]
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            try inbox.claim(ids[1], by: "bob")
            try await kid.hears("PENDING", "id: \(ids[1])", "state: claimed", "by: bob")
            let claimed = try inbox.claimGroup(group, only: Set(ids.prefix(2)), by: "ann")
            try talk.check(claimed.changed == [ids[0]], "\(claimed.changed)")
            try talk.check(claimed.refused[ids[1]]?.isClaimed == true, "\(claimed.refused)")
            try await kid.hears("PENDING", "id: \(ids[0])", "state: claimed", "by: ann")
            let released = try inbox.releaseGroup(group, by: "ann")
            try talk.check(released.changed == [ids[0]], "\(released.changed)")
            try talk.check(Set(released.refused.keys) == [ids[1]], "\(released.refused)")
            try await kid.hears("PENDING", "id: \(ids[0])", "state: presented")
            let taken = try inbox.claimGroup(
                group, by: "ann", of: "a", takesOver: true, to: "cid")
            try talk.check(taken.changed == ids && taken.refused.isEmpty, "\(taken)")
            for id in ids { try await kid.hears("PENDING", "id: \(id)", "by: cid") }
            try talk.desk.reads(ids[0]) { $0.holder == nil }
            let chosen = try inbox.releaseGroup(group, only: [ids[2]], by: "cid")
            try talk.check(chosen.changed == [ids[2]], "\(chosen.changed)")
            try await kid.hears("PENDING", "id: \(ids[2])", "state: presented")
            try talk.desk.refuses(for: \.isUnknownGroup) {
                _ = try inbox.claimGroup(99, by: "ann")
            }
            for number in 1...3 { try await talk.withdraws(number, by: kid) }
        },
        Script("A claim or a release of a group covers only what its person saw", .top) { talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid)
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            let seen = inbox.revision
            let second = try await talk.shown(2, by: kid)
            try talk.check(
                try inbox.claimGroup(group, by: "ann", seen: seen).changed == [first], "one")
            try await kid.hears("PENDING", "id: \(first)", "state: claimed")
            try inbox.claim(second, by: "ann")
            try await kid.hears("PENDING", "id: \(second)", "state: claimed")
            try talk.check(
                try inbox.releaseGroup(group, by: "ann", seen: seen).changed == [first], "one")
            try await kid.hears("PENDING", "id: \(first)", "state: presented")
            try talk.check(
                try inbox.members(ofGroup: group, seen: seen, doneBy: nil) == [first], "one")
            for number in [1, 2] { try await talk.withdraws(number, by: kid) }
        },
        Script("A group that was undone is the one that is open now", .top) { talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid)
            let group = try talk.desk.group().number
            try talk.desk.answer(first, undo: 20_000)
            let second = try await talk.shown(2, by: kid)
            let next = try talk.desk.group()
            try talk.check(next.number != group && next.members == [second], "\(next)")
            let (inbox, seen) = (talk.desk.inbox, talk.desk.inbox.revision)
            try inbox.undo(first)
            try await kid.hears("PENDING", "id: \(first)", "state: claimed")
            let both = try talk.desk.group()
            try talk.check(
                both.number == next.number && both.members == [first, second], "\(both)")
            try talk.check(
                try inbox.members(ofGroup: both.number, seen: seen, doneBy: nil) == [second], "one")
            for number in [1, 2] { try await talk.withdraws(number, by: kid) }
        },
        Script(
            "Errors are equal by domain and key, or by code and text; and by their options",
            .top
        ) { talk in
            let kid = try await talk.child("kid")
            let reports = [
                Talk.trouble(7), Talk.trouble(7, #""severity": "info""#), Talk.trouble(8),
                Talk.trouble(7).replacing("simulation.talk", with: "simulation.other"),
                Talk.trouble(7).replacing("Trouble 7.", with: "Trouble."),
                Talk.trouble(1, #""coalesceKey": "k""#), Talk.trouble(2, #""coalesceKey": "k""#),
                Talk.trouble(7, #""coalesceKey": "l""#),
                Talk.trouble(7).replacing("Retry", with: "Again"),
                Talk.trouble(7).replacing("cancel", with: "destructive"),
                Talk.trouble(7).replacing(#""Retry""#, with: #""Retry", "default": true"#),
                Talk.trouble(7).replacing(#""Retry""#, with: #""Retry", "twoPeople": true"#),
                Talk.trouble(7).replacing(#""Retry""#, with: #""Retry", "signed": true"#),
                Talk.asking(Talk.count),
                Talk.asking(Talk.count.replacing("9", with: "8")),
                Talk.trouble(
                    7, options: Talk.options.replacing("Retry\"", with: "Retry\", \"fields\": []")),
            ]
            for (number, report) in reports.enumerated() {
                try await talk.shown(number, by: kid, report: report)
            }
            let groups = talk.desk.inbox.groups.map { $0.members.count }.sorted()
            try talk.check(groups == Array(repeating: 1, count: 11) + [2, 3], "\(groups)")
            for number in reports.indices { try await talk.withdraws(number, by: kid) }
        },
    ]
}
