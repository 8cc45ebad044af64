@testable import ErrorBus
@testable import ErrorBusCore

/// The events of a walk: a line each, so that a changed, added or lost character changes one event.
///
/// The first line is about the node. In each other the first character is an ``Event``; for a
/// message the second is a ``Letter``; each other chooses among a few arguments, where a missing
/// one is the first. A line that begins otherwise is nothing.
struct WalkInput {
    enum Event: Character, CaseIterable {
        /// A message of a child, or of a client without a link.
        case child = "c"
        case parent = "p"
        case responder = "r"
        /// This process presents, gives up, or reports a result.
        case caller = "a"
        case time = "t"
        case vanished = "v"
        case malformed = "m"
        case bare = "b"
        /// Of a connection to a parent.
        case connection = "k"
        /// The keys of children are replaced: one is no longer known.
        case keys = "y"
    }

    /// The messages.
    enum Letter: Character, CaseIterable {
        case hello = "H"
        case welcome = "W"
        case present = "P"
        case accepted = "A"
        case pending = "N"
        case await = "I"
        case answer = "R"
        case settled = "S"
        case withdraw = "D"
        case withdrawn = "E"
        case ping = "p"
        case pong = "o"
        case reject = "X"
        case ok = "O"
        case bye = "B"
        case status = "Q"
        case state = "T"
    }

    static let ids: [PresentationID] = (1...4).map {
        PresentationID(UniqueID(high: 0x7000, low: $0))
    }
    static let names: [NodeName] = ["node", "one", "two", "three", "bare"]
    private static let options = ["", "retry", "skip"]

    private var lines: ArraySlice<ArraySlice<UInt8>>
    /// What is left of the present line.
    private var rest: ArraySlice<UInt8> = []

    /// Begins in the first line.
    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        rest = lines.popFirst() ?? []
    }

    private mutating func character() -> Character? {
        rest.popFirst().map { Character(Unicode.Scalar($0)) }
    }

    /// Goes to the next line that is an event; nil at the end.
    mutating func event() -> Event? {
        while let line = lines.popFirst() {
            rest = line
            if let event = character().flatMap(Event.init) { return event }
        }
        return nil
    }

    mutating func number(_ count: Int) -> Int {
        guard count > 1, let byte = rest.popFirst() else { return 0 }
        return Int(byte &- UInt8(ascii: "0")) % count
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(elements.count)]
    }

    mutating func answer() -> Answer {
        let results: [Bool?] = [nil, true, false]
        return Answer(
            id: UniqueID(high: 0x8000, low: UInt64(number(3))), option: pick(Self.options),
            by: "ann", via: .person, didRecover: results[number(3)])
    }

    private mutating func asked() -> Message.Asked? {
        let kind = number(4)
        guard kind > 0 else { return nil }
        return Message.Asked(origin: pick(Self.names), digest: ReportDigest(of: [UInt8(kind % 2)]))
    }

    private mutating func boot() -> BootID { BootID(number: UInt64(1 + number(2))) }

    /// Nil where the line names no message.
    mutating func letter() -> Letter? { character().flatMap(Letter.init) }

    mutating func message(_ letter: Letter) -> Message {
        let id = pick(Self.ids)
        switch letter {
        case .hello: return .hello(.init(from: pick(Self.names), boot: boot()))
        case .welcome:
            return .welcome(
                .init(
                    node: pick(Self.names), boot: boot(), maxHeader: 8_192,
                    maxPayload: UInt64(number(2)) * 100, maxOpen: UInt64(number(3)),
                    pingMilliseconds: 4_000,
                    path: Array(Self.names[1...].prefix(1 + number(3)))))
        case .present:
            let path = Array(Self.names.prefix(number(4)).reversed())
            let payload = [UInt8(number(2))]
            return .present(
                Message.Present(
                    id: id, attempt: UInt64(1 + number(3)),
                    origin: path.first ?? pick(Self.names), path: path,
                    digest: number(2) == 0 ? nil : ReportDigest(of: payload),
                    leftMilliseconds: [nil, 0, 3_000][number(3)],
                    waitMilliseconds: [nil, 0, 30_000][number(3)],
                    isOriginReachable: number(4) > 0, payload: payload))
        case .accepted: return .accepted(id: id, attempt: UInt64(1 + number(3)))
        case .pending:
            return .pending(
                .init(id: id, state: pick(PresentationState.Station.allCases), by: "ann"))
        case .await: return .await(id: id, waitMilliseconds: [0, 30_000][number(2)])
        case .answer:
            let digests: [ReportDigest?] = [nil, ReportDigest(of: [0]), ReportDigest(of: [1])]
            return .answer(id, answer(), digest: digests[number(3)])
        case .settled:
            return .settled(
                .init(
                    id: id, answer: answer().id, result: pick(RecoveryResult.allCases),
                    asked: asked()))
        case .withdraw:
            return .withdraw(
                id: id, reason: pick(Message.WithdrawReason.allCases), asked: asked())
        case .withdrawn: return .withdrawn(id: id)
        case .ping: return .ping(UInt64(number(3)))
        case .pong: return .pong(UInt64(number(3)))
        case .reject:
            return .reject(
                .init(
                    pick(RejectCode.allCases), "x", id: number(4) == 0 ? nil : id,
                    retryMilliseconds: [nil, 1, 5_000][number(3)]))
        case .ok: return .ok(id: number(4) == 0 ? nil : id)
        case .bye: return .bye(reason: "x")
        case .status: return .status
        case .state: return .state([])
        }
    }
}
