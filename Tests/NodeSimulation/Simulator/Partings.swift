import ErrorBus

/// What children say as they go over to another parent: the one that they leave gets it, so that
/// it does not take the child for lost.
// Unchecked: see Scheduler.
final class Partings: @unchecked Sendable {
    private static let present = Frame("PRESENT".utf8)
    private static let bye = Frame("BYE".utf8)
    /// Longer than any message is under way.
    private static let timeMax: UInt64 = 3_000

    private let scheduler: Scheduler
    /// The connections by which a child has asked something: not those by which it only looked
    /// whether a parent is there.
    private var used: Set<SocketID> = []
    private var parted: Set<SocketID> = []
    private(set) var missing: [String] = []

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// A parent's side gets a message.
    func received(_ frames: [Frame], on socket: SocketID) {
        guard frames.count > 3 else { return }
        if frames[2] == Self.present {
            used.insert(socket)
        } else if frames[2] == Self.bye {
            parted.insert(socket)
        }
    }

    /// A child closes a connection that is up, and has another one. `isSound` says whether nothing
    /// has gone wrong with either side since.
    func closed(
        _ socket: SocketID, _ link: Network.LinkID, isSound: @escaping () -> Bool
    ) {
        guard used.contains(socket) else { return }
        scheduler.after(Self.timeMax) { [self] in
            if !parted.contains(socket), isSound() {
                missing.append("\(link.child) left \(link.parent)")
            }
        }
    }
}

extension Checker {
    static let partsInOrder = Checker(
        name: "parts-in-order",
        rule: "a child that goes over to another parent says so to the one that it leaves"
    ) { ledger, _ in ledger.unparted.map { "\($0) without a word" } }
}

extension Forgery {
    static let partsInOrder = Forgery(checker: "parts-in-order") { ledger, _ in
        ledger.unparted.append("worker1 left relay2")
        return true
    }
}
