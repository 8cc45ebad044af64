import ErrorBus
import Foundation
import Logging
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
