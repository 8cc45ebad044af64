import ErrorBus

/// What parents say of the presentations that reach them: each one is acknowledged or ended within
/// the time for which that may be held back, and nothing is said of where one stands once its
/// answer has gone down.
// Unchecked: see Scheduler.
final class Acknowledgements: @unchecked Sendable {
    /// A presentation on a connection.
    private struct Asked: Hashable {
        let socket: SocketID
        let id: Frame
    }

    /// The time for an acknowledgement: that for which it is held back, and the turns that a node
    /// takes. Below the second after which a child sends PRESENT again.
    private static let timeMax = LinkTimes().holdBack + 500

    private let scheduler: Scheduler
    /// PRESENTs without a reply, by the order in which they came.
    private var waiting: [Asked: Int] = [:]
    private var presentCount = 0
    private var answered: Set<Asked> = []
    private(set) var missing: [String] = []
    private(set) var late: [String] = []

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// A parent gets a message. `isHeard` says whether it could reply at the end of the time, and
    /// at any time before.
    func received(_ frames: [Frame], on socket: SocketID, isHeard: @escaping () -> Bool) {
        guard let (verb, id) = Self.read(frames) else { return }
        let asked = Asked(socket: socket, id: id)
        let isPresent = verb.elementsEqual("PRESENT".utf8)
        guard isPresent || verb.elementsEqual("AWAIT".utf8) else { return }
        answered.remove(asked)
        guard isPresent, waiting[asked] == nil else { return }
        presentCount += 1
        let number = presentCount
        waiting[asked] = number
        scheduler.after(Self.timeMax) { [self] in
            guard waiting[asked] == number else { return }
            waiting[asked] = nil
            if isHeard() { missing.append(String(decoding: id, as: UTF8.self)) }
        }
    }

    /// A parent sends a message.
    func sent(_ frames: [Frame], on socket: SocketID) {
        guard let (verb, id) = Self.read(frames) else { return }
        let asked = Asked(socket: socket, id: id)
        if verb.elementsEqual("ANSWER".utf8) { answered.insert(asked) }
        let isAccepted = verb.elementsEqual("ACCEPTED".utf8)
        if isAccepted || verb.elementsEqual("PENDING".utf8) {
            if answered.contains(asked) {
                late.append(String(decoding: verb + Frame(" of ".utf8) + id, as: UTF8.self))
            }
            guard isAccepted else { return }
        }
        waiting[asked] = nil
    }

    /// The verb of a message and the id that its header begins with, behind an empty frame.
    private static func read(_ frames: [Frame]) -> (verb: Frame, id: Frame)? {
        guard frames.count > 3, frames[3].starts(with: "id: ".utf8) else { return nil }
        return (frames[2], Frame(frames[3].prefix { $0 != 10 }.dropFirst(4)))
    }
}

extension Checker {
    static let acknowledged = Checker(
        name: "acknowledged",
        rule: "a parent acknowledges or ends what it gets within the stated time, and says nothing "
            + "of where it stands behind the answer"
    ) { ledger, _ in
        ledger.unacknowledged.map { "\($0): not acknowledged" }
            + ledger.saidLate.map { "\($0): said behind the answer" }
    }
}

extension Forgery {
    static let ofAcknowledgements = [
        Forgery(checker: "acknowledged") { ledger, _ in
            ledger.unacknowledged.append("01920000-0000-7000-8000-000000000001")
            return true
        }
    ]
}
