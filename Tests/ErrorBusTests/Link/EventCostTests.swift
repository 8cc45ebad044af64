import ErrorBusTesting
import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What one event costs in a machine does not grow with what it holds: at most by the logarithm,
/// for its heaps. Counted in processor time of this thread, which other work does not touch, with
/// 64 times as much held; work over all of it would cost some 64 times as much.
@Suite struct EventCostTests {
    private static let few = 500
    private static let many = 64 * few
    private static let ratioMax = 8.0
    private static let cycles = 200

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// The least of several rounds of `cycles`: what disturbs makes dearer, never cheaper.
    private static func cost(_ cycle: (Int) -> Void) -> Double {
        (0..<5).map { round in
            let start = processorTime()
            for number in 0..<cycles { cycle(many + round * cycles + number) }
            return processorTime() - start
        }
        .min() ?? .infinity
    }

    private func ratio(_ cost: (_ held: Int) -> Double) -> Double {
        cost(Self.many) / cost(Self.few)
    }

    private func expectEqualCosts(_ cost: (_ held: Int) -> Double) {
        #expect(ratio(cost) < Self.ratioMax)
    }

    @Test("Work over all that is held is noticed")
    func linear() {
        let ratio = ratio { held in
            let items = Array(0..<held)
            return Self.cost { number in #expect(!items.contains(-number - 1)) }
        }
        #expect(ratio > 2 * Self.ratioMax)
    }

    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    @Test("Downlink: presented, answered, settled, withdrawn, with 64 times as much open")
    func downlink() {
        expectEqualCosts { held in
            var limits = LinkLimits()
            limits.openPerChildMax = 1_000_000
            limits.openPerNodeMax = 1_000_000
            var rig = DownlinkRig.withChild(limits: limits)
            let child = PeerID(1)
            for number in 0..<held { _ = rig.get(.present(Self.id(number)), from: child) }
            #expect(rig.machine.openCount == held)
            return Self.cost { number in
                let id = Self.id(number)
                _ = rig.get(.present(id), from: child)
                _ = rig.machine.nextDue
                if number.isMultiple(of: 2) {
                    _ = rig.answer(id)
                    _ = rig.get(.settled(id, .recovered), from: child)
                } else {
                    _ = rig.get(.withdraw(id: id, reason: .origin), from: child)
                }
                rig.pass(1)
                _ = rig.machine.ticked(at: rig.now)
                _ = rig.get(.pong(0), from: child)
            }
        }
    }

    @Test(
        "Downlink: new names, refused or in a gone child's place, with 64 times as many children",
        arguments: [true, false])
    func children(isKeyed: Bool) throws {
        let key = try #require(PublicKey(String(repeating: "0", count: 40)))
        let holder = KeyHolder(key: key, name: "w", reserved: [], isRelay: false)
        func peer(_ number: Int) -> PeerID {
            let envelope = Envelope(frames: [Frame("\(number)".utf8), []])
            return PeerID(socket: 0, envelope: envelope, holder: isKeyed ? holder : nil)
        }
        func hello(_ number: Int) -> Message { .hello(NodeName("w-\(number)") ?? "x") }
        expectEqualCosts { held in
            var limits = LinkLimits()
            limits.childrenMax = isKeyed ? 1_000_000 : held
            limits.childrenPerKeyMax = isKeyed ? held : 1_000_000
            var rig = DownlinkRig(limits: limits)
            for number in 0..<held { _ = rig.get(hello(number), from: peer(number)) }
            var last = 0
            let cost = Self.cost { number in
                _ = rig.get(hello(number), from: peer(number))
                _ = rig.get(.bye(reason: ""), from: peer(last))
                _ = rig.get(hello(number), from: peer(number))
                last = number
            }
            #expect(rig.machine.children.count == held)
            #expect(rig.machine.namesOfPeers[peer(last)] != nil)
            return cost
        }
    }

    @Test("What shares a limit: planned, and one of the account with the most dropped")
    func shared() {
        expectEqualCosts { held in
            var shared = SharedDeadlines<PresentationID>()
            for number in 0..<held {
                let name = NodeName("c\(number)") ?? "x"
                shared.plan(Self.id(number), of: .child(name), at: 1_000)
            }
            return Self.cost { number in
                shared.plan(Self.id(number), of: .others, at: 2_000)
                _ = shared.popOfMost()
            }
        }
    }

    @Test("Uplink: presented, accepted, answered, settled, withdrawn, with 64 times as much open")
    func uplink() {
        expectEqualCosts { held in
            var limits = LinkLimits()
            limits.openPerNodeMax = 1_000_000
            var rig = UplinkRig.live(limits: limits)
            for number in 0..<held {
                _ = rig.present(Self.id(number))
                _ = rig.get(.accepted(id: Self.id(number), attempt: 1))
            }
            #expect(rig.machine.entries.count == held)
            return Self.cost { number in
                let id = Self.id(number)
                _ = rig.present(id)
                _ = rig.get(.accepted(id: id, attempt: 1))
                _ = rig.machine.nextDue
                if number.isMultiple(of: 2) {
                    _ = rig.get(.answer(id, .decision()))
                    _ = rig.settle(id)
                } else {
                    _ = rig.withdraw(id)
                }
                rig.pass(1)
                _ = rig.machine.ticked(at: rig.now)
                _ = rig.get(.pong(0))
            }
        }
    }

    @Test(
        "Inbox: opened, claimed, answered, undone, settled, with 64 times as much open",
        arguments: [true, false])
    func inbox(isOneGroup: Bool) {
        let now = ManualTime().now
        func question(_ number: Int) -> InboxPresentation {
            InboxPresentation(
                id: Self.id(number),
                report: ErrorReport(
                    domain: "d", code: isOneGroup ? 1 : number, description: "broken",
                    options: [.init(id: "retry", title: "Retry")]),
                origin: "w")
        }
        expectEqualCosts { held in
            var machine = InboxMachine(limits: InboxLimits())
            for number in 0..<held { _ = machine.opened(question(number), at: now) }
            #expect(machine.openCount == held)
            return Self.cost { number in
                let id = Self.id(number)
                let answer = Answer(id: id.value, option: "retry", by: "ann", via: .person)
                _ = machine.opened(question(number), at: now)
                _ = try? machine.claim(id, by: "ann", for: .seconds(60), takesOver: false, at: now)
                _ = try? machine.answer(id, with: answer, undo: .seconds(5), at: now)
                if number.isMultiple(of: 2) { _ = try? machine.undo(id, at: now) }
                _ = machine.left(id, answer.id, at: now)
                machine.settled(id, answer.id, .recovered, at: now)
                machine.closed(id, .withdrawn, at: now)
            }
        }
    }
}
