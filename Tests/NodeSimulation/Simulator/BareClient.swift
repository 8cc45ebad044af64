import ErrorBus
import Foundation

/// A program of a few lines that presents an error in one frame of JSON and runs the option that
/// comes back itself. Without a reply it connects and asks again, under the same id.
// Unchecked: see Scheduler.
final class BareClient: TransportReceiver, @unchecked Sendable {
    static let domain = "simulation.bare"
    private static let patience: UInt64 = 20_000

    private struct Reply: Decodable {
        let outcome: String
        let option: String?
        let didRecover: Bool?
        let code: Int?
        let values: [String: Value]?
    }

    /// A value as text.
    private struct Value: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            let number = try? value.decode(Int.self)
            text = try number.map(String.init) ?? value.decode(String.self)
        }
    }

    /// What Retry asks for in worlds with values: as ``Plan/fields`` has it.
    private static let fields = """
        , "fields": [{"name": "word", "label": "Word", "kind": "text", "required": true,
        "minLength": 1, "maxLength": 8, "pattern": "w*"},
        {"name": "count", "label": "Count", "kind": "number", "required": true, "default": 3,
        "min": 1, "max": 9, "whole": true},
        {"name": "pin", "label": "PIN", "kind": "secret", "required": true,
        "minLength": 4, "maxLength": 4}]
        """

    private let world: World
    private let transport: SimulatedTransport
    private let endpoint: Endpoint
    private let parent: String
    private let id: PresentationID
    private let isSecond: Bool
    /// A reply is still to be lost.
    private var losesReply: Bool
    private let request: Frame
    private var socket: SocketID?

    init(
        _ id: PresentationID, _ call: Plan.Call, isSecond: Bool, to endpoint: Endpoint,
        in world: World
    ) {
        self.id = id
        self.isSecond = isSecond
        losesReply = call.losesReply
        self.endpoint = endpoint
        parent = call.bareParent ?? ""
        self.world = world
        transport = SimulatedTransport(call.worker, world.network)
        if world.plan.revocation?.at == call.bareParent { transport.holder = world.keyHolder }
        let deadline = call.deadline.map { ", \"deadlineMilliseconds\": \($0)" } ?? ""
        let onExpiry = call.onExpiry.map { ", \"onExpiry\": \"\($0)\"" } ?? ""
        let fields = world.plan.asksForValues ? Self.fields : ""
        request = Array(
            """
            {"id": "\(id)", "domain": "\(Self.domain)",
            "description": "\(isSecond ? "No time" : "No space")."
            \(deadline)\(onExpiry),
            "recoveryOptions": [{"id": "retry", "title": "Retry"\(fields)},
            {"id": "skip", "title": "Skip"}]}
            """.utf8)
    }

    func ask() {
        guard !isAnswered, world.ledger.revoked[id] == nil else { return }
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = try? transport.connect(to: endpoint, for: self)
        }
        world.scheduler.after(Self.patience) { [self] in ask() }
    }

    private var isAnswered: Bool {
        let replies = isSecond ? world.ledger.bareSeconds : world.ledger.bareReplies
        return replies[id]?.isEmpty == false
    }

    func changed(_ event: ConnectionEvent, on socket: SocketID) {
        guard event == .connected else { return }
        world.requested(id, at: parent)
        _ = transport.send([[], request], on: socket)
    }

    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?) {
        guard let frame = frames.last,
            let said = try? JSONDecoder().decode(Reply.self, from: Data(frame))
        else { return }
        world.replied(id)
        if losesReply {
            losesReply = false
            world.scheduler.note("reply \(id) lost")
            return world.scheduler.after(2_000) { [self] in ask() }
        }
        world.scheduler.note("reply \(id) \(said.outcome) \(said.option ?? "")")
        let reply = Ledger.BareReply(
            time: world.scheduler.now, outcome: said.outcome, option: said.option,
            code: said.code, didRecover: said.didRecover,
            values: said.values?.mapValues(\.text) ?? [:])
        if isSecond {
            world.ledger.bareSeconds[id, default: []].append(reply)
        } else {
            world.ledger.bareReplies[id, default: []].append(reply)
        }
    }

    /// One request and its reply fill no queue.
    func dropped(_ count: Int, on socket: SocketID) {}

    func woke() {}
}
