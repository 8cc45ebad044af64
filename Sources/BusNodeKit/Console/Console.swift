import ErrorBus
import Foundation
import Logging
import NIOCore
import Synchronization

/// One console of a node: the inbox that its questions wait in, and what is served of it.
final class Console: Sendable {
    let settings: ConsoleSettings
    let node: NodeName
    let inbox: Inbox
    let silences: ConsoleSilences
    let history: AuditHistory
    let token: ConsoleToken
    let topology: Topology
    let logger: Logger
    let startedAt = Date()
    let revisions: Revisions
    /// Set once there is one: the node is made of its parts, and this is one of them.
    private let running: RunningNode
    /// The topology as it runs.
    let live: LiveView

    /// - Throws: When the token's file is missing or says nothing that can be used.
    init(
        _ settings: ConsoleSettings, of node: NodeName, in topology: Topology, logger: Logger
    ) throws(Failure) {
        self.settings = settings
        self.node = node
        self.topology = topology
        self.logger = logger
        revisions = Revisions(startedAt: startedAt)
        let running = RunningNode()
        self.running = running
        live = LiveView { [topology] in
            await LiveTopology.ask(
                topology, own: await running.node?.status, within: ConsoleLimits.statusTime)
        }
        token =
            try settings.tokenFile.map { path throws(Failure) in try ConsoleToken(file: path) }
            ?? .generated()
        var limits = InboxLimits()
        limits.escalateAfter = settings.escalateAfter
        let inbox = Inbox("console", limits: limits)
        self.inbox = inbox
        history = AuditHistory { id, option in
            let options = (try? inbox.item(id))?.report.options
            return options?.first { $0.id == option }?.role == .cancel
        }
        silences = ConsoleSilences(inbox, logger: logger)
    }

    /// What its node writes its events to, for this console to know of them.
    var audit: any AuditLog { AuditLogs(logs: [inbox, history]) }

    func attach(_ node: Node) { running.set(node) }

    var tables: TableSizes {
        get async { await running.node?.tableSizes ?? TableSizes() }
    }
}

/// The node of a console, once it is made.
private final class RunningNode: Sendable {
    private let current = Mutex<Node?>(nil)

    var node: Node? { current.withLock { $0 } }

    func set(_ node: Node) { current.withLock { $0 = node } }
}

/// What one console gives to those that talk to it. A limit reached is a refusal, or the end of
/// the connection.
enum ConsoleLimits {
    static let bodyByteMax = 64 * 1024
    /// Of one header; all of them together may be four times as long.
    static let headerByteMax = 8 * 1024
    static let headerCountMax = 100
    /// Connections at a time; another one waits.
    static let connectionCountMax = 128
    /// Of these, such as have not shown the token; the oldest of them makes room.
    static let strangerCountMax = 64
    static let strangerCountMaxPerHost = 32
    /// What a connection has to end after a request that was no HTTP.
    static let malformedTime = TimeAmount.seconds(1)
    /// Refusals of one kind come into the log once in that time, and then how many more there were.
    static let refusalInterval: Duration = .seconds(10)
    /// Event streams at a time; another one is refused (503).
    static let streamCountMax = 48
    /// From the connection to the end of its first request.
    static let requestTime = TimeAmount.seconds(10)
    /// From an answer to the end of the next request.
    static let idleTime = TimeAmount.seconds(60)
    /// How long a client may take nothing of what is sent to it.
    static let stallTime = TimeAmount.seconds(10)
    /// What requests under way have to end when the node stops.
    static let shutdownTime: Duration = .milliseconds(300)

    /// How long the other nodes have to say how they are.
    static let statusTime: Duration = .seconds(1)

    static let itemCountMax = 500
    static let groupCountMax = 200
    static let idCountMax = 100
    static let auditEventMax = 5_000
    static let auditFieldScalarMax = 1_000
    static let nameScalarMax = 200
    static let commentScalarMax = 1_000
    /// Of a description in a list; the whole of it is in the report.
    static let descriptionScalarMax = 1_000
    static let messageInterval: Duration = .milliseconds(100)
    static let pingInterval: Duration = .seconds(15)
}
