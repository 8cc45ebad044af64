import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Messages about what is neither answered nor claimed.
struct NotifyAgingTests {
    @Test("Aging is sent once for what has been neither answered nor claimed for so long")
    func aging() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.aging], digest: .seconds(1))])
        let (answered, claimed) = (rig.open(NotifyRig.report("answered")), rig.open())
        rig.open(NotifyRig.report("left"))
        try rig.answer(answered)
        rig.pass(.seconds(200))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.claim(claimed, by: "ann", for: .seconds(200), takesOver: false, at: now)
        }
        #expect(rig.pass(.seconds(100)).isEmpty)
        #expect(rig.pass(.seconds(1)).map(\.outline) == ["aging 1 left"])
        #expect(rig.pass(.seconds(398)).isEmpty)
        #expect(rig.pass(.seconds(2)).map(\.outline) == ["aging 1 broken"])
        #expect(rig.pass(.seconds(3_600)).isEmpty)
    }

    @Test("After the release of a claim the time of aging starts again")
    func agingAfterRelease() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.aging], digest: .seconds(1))])
        let id = rig.open()
        rig.pass(.seconds(250))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.claim(id, by: "ann", for: .seconds(200), takesOver: false, at: now)
        }
        rig.pass(.seconds(20))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.release(id, by: "ann", at: now)
        }
        rig.open(NotifyRig.report("later"))
        #expect(rig.pass(.seconds(299)).isEmpty)
        let aged = rig.pass(.seconds(2)).map(\.outline)
        #expect(Set(aged) == ["aging 1 broken", "aging 1 later"])
    }

    @Test(
        "A claim that ends before its time, or is shortened, does not delay aging",
        arguments: [nil, Duration.seconds(10)])
    func agingAfterEarlyEnd(rest: Duration?) throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.aging], digest: .seconds(1))])
        let id = rig.open()
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.claim(id, by: "ann", for: .seconds(3_000), takesOver: false, at: now)
        }
        #expect(rig.pass(.seconds(1_000)).isEmpty)
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            if let rest {
                _ = try inbox.claim(id, by: "ann", for: rest, takesOver: false, at: now)
            } else {
                try inbox.release(id, by: "ann", at: now)
            }
        }
        #expect(rig.pass(.seconds(299) + (rest ?? .zero)).isEmpty)
        #expect(rig.pass(.seconds(2)).map(\.outline) == ["aging 1 broken"])
        #expect(rig.pass(.seconds(3_600)).isEmpty)
    }

    @Test("After lost changes what was sent is not sent again, and the rest ages at its own time")
    func agingAfterLoss() {
        var rig = NotifyRig([NotifyRig.hook(on: [.aging], digest: .zero)])
        rig.open(NotifyRig.report("sent"))
        rig.pass(.seconds(290))
        rig.open(NotifyRig.report("left"))
        #expect(rig.pass(.seconds(100)).map(\.outline) == ["aging 1 sent"])
        rig.machine.restart(with: rig.openItems, missed: 1)
        #expect(rig.pass(.seconds(199)).map(\.outline) == ["summary 1"])
        #expect(rig.pass(.seconds(2)).map(\.outline) == ["aging 1 left"])
        #expect(rig.pass(.seconds(3_600)).isEmpty)
    }

    @Test("What opens while another is claimed ages at its own time")
    func agingBesideClaim() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.aging], digest: .seconds(1))])
        let claimed = rig.open()
        rig.pass(.seconds(250))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.claim(claimed, by: "ann", for: .seconds(3_000), takesOver: false, at: now)
        }
        rig.pass(.seconds(60))
        rig.open(NotifyRig.report("later"))
        #expect(rig.pass(.seconds(299)).isEmpty)
        #expect(rig.pass(.seconds(2)).map(\.outline) == ["aging 1 later"])
    }
}
