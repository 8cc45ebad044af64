import ErrorBus

// What readers of an inbox get: changes, pages, groups, notes, and its limits.
extension Script {
    static let reading: [Script] = [
        Script("A page has the changes after a revision, oldest first, and says what follows", .top)
        { talk in
            let kid = try await talk.child("kid")
            let ids = [
                try await talk.shown(1, by: kid),
                try await talk.shown(2, by: kid, report: Talk.trouble(8)),
                try await talk.shown(3, by: kid, report: Talk.trouble(9)),
            ]
            let inbox = talk.desk.inbox
            let first = inbox.update(after: 0, .none, upTo: 2)
            try talk.check(first.items.map(\.id) == Array(ids.prefix(2)), "two items")
            try talk.check(!first.isLast && first.latest == inbox.revision, "more follows")
            try talk.check(first.openCount == 3 && first.groupCount == 3, "all are open")
            try talk.check(first.groups.isEmpty && first.goneGroups == nil, "no groups")
            let rest = inbox.update(after: first.revision, .none, upTo: 2)
            try talk.check(rest.items.map(\.id) == [ids[2]] && rest.isLast, "the third")
            let whole = inbox.update(after: 0, .all, upTo: 3)
            try talk.check(whole.items.count == 3 && whole.isLast, "a full page is the last one")
            try talk.check(whole.groups.count == 3, "all groups")
            try talk.check(whole.groupRevision == inbox.revision, "\(whole.groupRevision)")
            let none = inbox.update(after: rest.revision, .none, upTo: 2)
            try talk.check(none.items.isEmpty && none.isLast, "nothing is new")
            try talk.check(none.revision == rest.revision, "the reader stays where it is")
            for number in 1...3 { try await talk.withdraws(number, by: kid) }
        },
        Script("A reader of groups gets those that changed, and those that are gone", .top) {
            talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid)
            try await talk.shown(2, by: kid, report: Talk.trouble(8))
            let inbox = talk.desk.inbox
            let groups = inbox.groups.map(\.number)
            var seen = inbox.revision
            func changed() -> InboxUpdate {
                let update = inbox.update(after: seen, .changed(after: seen), upTo: 10)
                seen = inbox.revision
                return update
            }
            try talk.check(changed().groups.isEmpty, "nothing has changed")
            try inbox.claim(first, by: "ann")
            try await kid.hears("PENDING", "state: claimed")
            var update = changed()
            try talk.check(update.groups.map(\.number) == [groups[0]], "its group has changed")
            try talk.check(update.goneGroups == [], "none is gone")
            try talk.check(update.groupRevision == inbox.revision, "\(update.groupRevision)")
            try await talk.withdraws(2, by: kid)
            update = changed()
            try talk.check(update.groups.isEmpty, "no open group has changed")
            try talk.check(update.goneGroups == [groups[1]], "the other is gone")
            try talk.check(changed().goneGroups == [], "it is told once")
            try await talk.shown(3, by: kid, report: Talk.trouble(9))
            try talk.check(changed().groups.map(\.members) == [[talk.id(3)]], "a new one")
            try talk.desk.answer(talk.id(3), undo: 10_000)
            try talk.check(changed().goneGroups?.count == 1, "it is gone while it is held")
            try inbox.undo(talk.id(3))
            try await kid.hears("PENDING", "state: claimed")
            try talk.check(changed().groups.map(\.members) == [[talk.id(3)]], "it is back")
            try inbox.note(first, "Mine.", by: "ann")
            try talk.check(changed().groups.map(\.number) == [groups[0]], "by a note")
            for number in [1, 3] { try await talk.withdraws(number, by: kid) }
        },
        Script("A page of groups ends where the page of items ends", .top) { talk in
            let kid = try await talk.child("kid")
            for number in 1...4 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
            }
            let inbox = talk.desk.inbox
            let page = inbox.update(after: 0, .changed(after: 0), upTo: 2)
            try talk.check(page.items.count == 2 && page.groups.count == 2, "two of each")
            try talk.check(page.groupRevision == page.revision, "both at one revision")
            let next = inbox.update(
                after: page.revision, .changed(after: page.groupRevision), upTo: 2)
            try talk.check(next.items.count == 2 && next.groups.count == 2, "the other two")
            for number in 1...4 { try await talk.withdraws(number, by: kid) }
            let last = inbox.update(
                after: next.revision, .changed(after: next.groupRevision), upTo: 2)
            try talk.check(last.goneGroups?.count == 2 && !last.isLast, "two are gone")
        },
        Script(
            "A reader that lacks forgotten ends of groups gets all groups",
            .top.inbox { $0.endedMax = 1 }
        ) { talk in
            let kid = try await talk.child("kid")
            try await talk.shown(9, by: kid, report: Talk.trouble(9))
            let (inbox, seen) = (talk.desk.inbox, talk.desk.inbox.revision)
            for number in 1...2 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
                try await talk.withdraws(number, by: kid)
            }
            let known = inbox.update(after: seen, .changed(after: seen), upTo: 50)
            try talk.check(known.goneGroups?.count == 2, "both ends are known")
            try await talk.shown(3, by: kid, report: Talk.trouble(3))
            try await talk.withdraws(3, by: kid)
            let all = inbox.update(after: seen, .changed(after: seen), upTo: 50)
            try talk.check(all.goneGroups == nil, "the first ends are forgotten")
            try talk.check(all.groups.map(\.members) == [[talk.id(9)]], "all that is open")
            try await talk.withdraws(9, by: kid)
        },
        Script("Of what has ended the latest are kept", .top.inbox { $0.endedMax = 2 }) { talk in
            let kid = try await talk.child("kid")
            let inbox = talk.desk.inbox
            for number in 1...2 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
                try await talk.withdraws(number, by: kid)
            }
            try talk.check(inbox.forgottenRevision == 0, "nothing is forgotten")
            let oldest = try talk.desk.item(talk.id(1)).revision
            try await talk.shown(3, by: kid, report: Talk.trouble(3))
            try talk.desk.reads(talk.id(1), \.hasEnded)
            try await talk.withdraws(3, by: kid)
            try talk.desk.refuses(for: \.isUnknown) { _ = try inbox.item(talk.id(1)) }
            try talk.check(inbox.forgottenRevision == oldest, "\(inbox.forgottenRevision)")
            try talk.check(
                inbox.items(changedAfter: 0).map(\.id) == [talk.id(2), talk.id(3)], "two are kept")
        },
        Script(
            "What people answered stays where others present and withdraw",
            .top.inbox { $0.endedMax = 4 }
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: Talk.trouble(1))
            kid.settle(id, try await talk.answered(id, to: kid), "recovered")
            for number in 2...6 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
                try await talk.withdraws(number, by: kid)
            }
            try talk.desk.reads(id, \.hasEnded)
            try talk.desk.refuses(for: \.isUnknown) { _ = try talk.desk.inbox.item(talk.id(3)) }
            try talk.desk.reads(talk.id(4), \.hasEnded)
        },
        Script(
            "What is not stored yet is not forgotten",
            .top.inbox { ($0.endedMax, $0.openMax) = (1, 3) }
        ) { talk in
            let kid = try await talk.child("kid")
            let inbox = talk.desk.inbox
            inbox.kept(upTo: 0)
            for number in 1...3 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
                try await talk.withdraws(number, by: kid)
            }
            try talk.check(inbox.items().count == 3, "all three are kept")
            try await talk.shown(4, by: kid, report: Talk.trouble(4))
            try await talk.withdraws(4, by: kid)
            try talk.check(inbox.items().count == 3, "but no more than may be open")
            inbox.kept(upTo: inbox.revision)
            try talk.check(inbox.items().map(\.id) == [talk.id(4)], "once stored, one")
        },
        Script(
            "An inbox that is full declines",
            Hop.top.escalating().inbox { ($0.openMax, $0.escalateAfter) = (2, nil) }
        ) { talk in
            let kid = try await talk.child("kid")
            let boss: Desk = talk.beside.second
            for number in 1...2 {
                try await talk.shown(number, by: kid, report: Talk.trouble(number))
            }
            kid.present(talk.id(3))
            try await talk.desk.shows(talk.id(3))
            try await talk.desk.hides(talk.id(3))
            try await boss.shows(talk.id(3))
            try await kid.hears("ACCEPTED", "id: \(talk.id(3))")
            try await kid.hears("PENDING", "state: presented", "by: boss")
            try await talk.withdraws(1, by: kid)
            try await talk.shown(4, by: kid, report: Talk.trouble(4))
            try talk.check(talk.desk.inbox.openCount == 2, "two are open")
            kid.say("WITHDRAW", "id: \(talk.id(3))", "reason: origin")
            try await boss.hides(talk.id(3))
            try await kid.hears("WITHDRAWN")
            for number in [2, 4] { try await talk.withdraws(number, by: kid) }
        },
        Script(
            "People write notes, also on what has ended, up to a limit",
            .top.inbox { $0.noteMax = 2 }
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let (inbox, name) = (talk.desk.inbox, talk.id(9).value)
            let note = try inbox.note(id, "On it.", by: "ann", id: name)
            let revision = inbox.revision
            try talk.check(note?.text == "On it." && note?.by == "ann", "it is the note")
            try talk.desk.reads(id) { $0.notes == [note] && $0.revision == revision }
            try talk.check(try inbox.note(id, "On it.", by: "ann", id: name) == nil, "known")
            try talk.check(inbox.revision == revision, "nothing has changed")
            try talk.desk.refuses(for: \.isOtherNote) {
                try inbox.note(id, "Not on it.", by: "ann", id: name)
            }
            try talk.desk.refuses(for: \.isOtherNote) {
                try inbox.note(id, "On it.", by: "bob", id: name)
            }
            try await talk.withdraws(1, by: kid)
            try inbox.note(id, "Over.", by: "bob")
            try talk.desk.reads(id) { $0.notes.map(\.text) == ["On it.", "Over."] }
            try talk.desk.refuses(for: \.isTooManyNotes) { try inbox.note(id, "!", by: "bob") }
            try talk.check(try inbox.note(id, "On it.", by: "ann", id: name) == nil, "known")
            try talk.desk.refuses(for: \.isUnknown) { try inbox.note(talk.id(2), "?", by: "bob") }
        },
        Script("A reader of the changes has the present revision at once, then each latest", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let (inbox, read) = (talk.desk.inbox, Mailbox<UInt64>(talk.scheduler))
            let reader = Task.detached {
                for await revision in inbox.changes() { read.add(revision) }
            }
            try talk.check(await read.next(within: 50) == inbox.revision, "at once")
            try inbox.note(id, "A note.", by: "ann")
            try talk.check(await read.next(within: 50) == inbox.revision, "then the next")
            try talk.desk.refuses(for: \.isNothingToUndo) { try inbox.undo(id) }
            try talk.check(await read.next(within: 50) == nil, "a refusal is no change")
            reader.cancel()
            try await talk.withdraws(1, by: kid)
        },
        Script("A watcher gets each change with the stage before", .top) { talk in
            let kid = try await talk.child("kid")
            let changes = Mailbox<InboxChange>(talk.scheduler)
            talk.desk.inbox.watch { changes.add($0) }
            let id = try await talk.shown(
                1, by: kid, report: Talk.trouble(7, options: Talk.wipe))
            let inbox = talk.desk.inbox
            try talk.check(changes.unread.map(\.before) == [nil], "it is new")
            changes.clear()
            try inbox.claim(id, by: "ann")
            try await kid.hears("PENDING", "state: claimed")
            try talk.check(changes.unread.map(\.before) == [.open], "it was open")
            try talk.check(changes.unread.first?.item.stage.claim?.person == "ann", "claimed")
            changes.clear()
            try inbox.propose(
                id, option: "wipe", by: SignedInPerson("ann"), id: talk.id(9).value)
            try inbox.decline(id)
            try talk.check(changes.unread.map(\.isProposal) == [true, false], "a proposal")
            changes.clear()
            kid.present(id, report: Talk.trouble(7, options: Talk.wipe), attempt: 2)
            try await kid.hears("ACCEPTED")
            _ = await kid.heard.next(within: 100)
            try talk.check(changes.unread.isEmpty, "asked again, it is the same")
            try talk.desk.answer(id, "skip", by: "ann")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, result: "failed")
            try talk.check(changes.unread.count == 2, "\(changes.unread.count) changes")
            try talk.check(changes.unread.first?.before?.claim?.person == "ann", "it was claimed")
        },
    ]
}
