import ErrorBus
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// One console of a node: its inbox, and the data that it serves.
final class Console: Sendable {
    let settings: ConsoleSettings
    let node: NodeName
    let inbox: Inbox
    let silences: ConsoleSilences
    let history: AuditHistory
    /// The hooks of the node; nil without hooks.
    let notifier: Notifier?
    /// The links that answer; nil if no message of a hook has such links.
    let links: AnswerLinks?
    let admission: ConsoleAdmission
    let sessions = ConsoleSessions()
    let connections = ConsoleConnections()
    /// The proxy that may say who sends a request; nil without a proxy.
    let proxy: ConsoleProxy?
    /// The sign-in at an identity provider; nil without a provider.
    let signIn: ConsoleSignIn?
    /// The certificate; nil without TLS.
    let certificate: ConsoleCertificate?
    let topology: Topology
    let logger: Logger
    let startedAt = Date()
    let revisions: Revisions
    /// Set once the node exists: the console is one of the parts that the node is made from.
    private let running: RunningNode
    /// The live state of the topology.
    let live: LiveView
    /// The address of the page, without its fragment; nil before it listens.
    private let address = Mutex<String?>(nil)
    private let ledger = Mutex<EventLog?>(nil)
    private let keptHistory = Mutex<Kept?>(nil)
    let trials = OneAtATime("trial")
    let rulesFromJournal = OneAtATime("rule from the journal")

    /// The store of a console's data in the node's journal.
    struct Kept: Sendable {
        let keeper: HistoryKeeper
        let archive: HistoryArchive
        let views: JournalViews
        /// The number of this console in its node.
        let console: Int
    }

    /// - Throws: When the file of users, of the token, of the certificate or its key, of the key of
    ///   links, or of the secret of a proxy, of a provider or of a hook is missing or invalid.
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
                topology, own: await running.node?.status, keys: running.node?.keys,
                within: ConsoleLimits.statusTime)
        }
        let admission: ConsoleAdmission =
            if let file = settings.usersFile {
                .users(try ConsoleUsers(file, logger: logger))
            } else if let file = settings.tokenFile {
                .token(try ConsoleToken(file: file))
            } else {
                .token(.generated())
            }
        self.admission = admission
        proxy = try settings.proxy.map { proxy throws(Failure) in
            try ConsoleProxy(proxy, logger: logger)
        }
        if let oidc = settings.oidc, let url = settings.url, case .users(let users) = admission {
            signIn = try ConsoleSignIn(oidc, for: url, users, logger: logger)
        } else {
            signIn = nil
        }
        certificate = try settings.tls.map { tls throws(Failure) in
            try ConsoleCertificate(tls, logger: logger)
        }
        var limits = InboxLimits()
        limits.escalateAfter = settings.escalateAfter
        let inbox = Inbox("console", limits: limits)
        self.inbox = inbox
        history = AuditHistory { id in try? inbox.item(id) }
        silences = ConsoleSilences(inbox, logger: logger)
        let hooks = topology[node]?.notify ?? []
        guard !hooks.isEmpty, let url = settings.url else {
            links = nil
            notifier = nil
            return
        }
        if let file = settings.linkKeyFile, case .users(let users) = admission {
            links = try AnswerLinks(file, of: hooks, for: url, users, logger: logger)
        } else {
            links = nil
        }
        notifier = try Notifier(
            hooks, of: node, url: url, links: links, inbox: inbox, logger: logger,
            startedAt: startedAt)
    }

    /// The log for this node's events, which the console reads.
    var audit: any AuditLog { AuditLogs(logs: [inbox, history]) }

    /// Keeps the history, the dead letters of hooks and the ended sign-ins in the node's journal,
    /// and restores them; before the first presentation arrives.
    ///
    /// - Parameter number: The console's number in its node.
    func keepHistory(in journal: SQLiteJournal, number: Int) throws {
        try notifier?.keep(in: JournalLetters(journal: journal))
        try sessions.keep(in: JournalSignOuts(journal: journal, console: number))
        let keeper = try HistoryKeeper(
            inbox, history, in: journal, console: number, logger: logger)
        guard let archive = try HistoryArchive(journal.path) else { return }
        let views = JournalViews(journal: journal, console: number)
        keptHistory.withLock {
            $0 = Kept(keeper: keeper, archive: archive, views: views, console: number)
        }
    }

    /// Whether a visitor that was admitted before is still admitted, with the same permissions.
    func admits(_ visitor: ConsoleVisitor) -> Bool {
        guard visitor.provider == nil else { return signIn?.admits(visitor) ?? false }
        return sessions.has(visitor.session, of: visitor.user?.name) && admission.admits(visitor)
    }

    func listens(at hosts: ConsoleHosts) { address.withLock { $0 = hosts.pageAddress } }

    /// The address that shows a presentation in the page; nil before it listens.
    func url(of id: PresentationID) -> String? {
        address.withLock { $0 }.map { "\($0)#/inbox/\(id)" }
    }

    /// An entry of the journal with its address.
    func linked(_ entry: HistoryEntry) -> HistoryEntry {
        var entry = entry
        entry.url = PresentationID(entry.id).flatMap { url(of: $0) }
        return entry
    }

    /// The address that lists a group alone in the page, also after a restart; nil before the
    /// console listens.
    ///
    /// - Parameter key: The name of the group.
    func url(ofGroup key: String) -> String? {
        address.withLock { $0 }.map { "\($0)#/inbox?filter=group%3A\(key)" }
    }

    /// The inbox's revision of the revision that a client gives; nil if the client has to start
    /// over: for another life of the console, and if the inbox has forgotten ends that the client
    /// may not have seen.
    ///
    /// - Parameter begun: The latest revision when the client began to read: it never got
    ///   presentations as open that had ended by then.
    func reached(_ shown: Int64, begun: Int64? = nil) -> UInt64? {
        let latest = inbox.revision
        guard let own = revisions.own(shown, upTo: latest) else { return nil }
        let start = begun.flatMap { revisions.own($0, upTo: latest) } ?? own
        return max(own, start) >= inbox.forgottenRevision ? own : nil
    }

    /// The store of the console's data; nil without a journal.
    var kept: Kept? { keptHistory.withLock { $0 } }

    /// Other presentations of the same cause; nil without a journal, or if the journal cannot be
    /// read.
    func earlier(than id: PresentationID, of report: ErrorReport) async -> EarlierView? {
        guard let kept else { return nil }
        let since = Date(timeIntervalSinceNow: -Double(EarlierView.days) * 86_400)
        do throws(Failure) {
            var view = try await kept.archive.earlier(
                than: id, of: report, console: kept.console, since: since)
            view.latest = view.latest.map { linked($0) }
            return view
        } catch {
            logger.warning(
                "console: earlier presentations not read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Writes acts of people to the node's ledger too.
    func log(to ledger: EventLog) { self.ledger.withLock { $0 = ledger } }

    /// Records an act of a person: in the audit, the ledger and the log.
    ///
    /// - Parameter id: The presentation; nil if the act concerns none.
    func note(_ act: PersonalAct, _ id: PresentationID? = nil, by person: String) {
        let fields = act.fields(person)
        history.note(act, id, by: person)
        ledger.withLock { $0 }?.record(act.word, id, fields)
        var metadata: Logger.Metadata = fields.mapValues { "\($0)" }
        metadata["id"] = id.map { "\($0)" }
        logger.info("console: \(act.word)", metadata: metadata)
    }

    /// Writes a note of a person on a presentation, only once under the same id.
    func addNote(
        _ text: String, to presentation: PresentationID, by person: String, id: UniqueID? = nil
    ) throws(InboxRefusal) {
        let added = try inbox.note(presentation, text, by: person, id: id)
        if let added { note(.note(added), presentation, by: person) }
    }

    func attach(_ node: Node) { running.set(node) }

    /// The status of the console's node; nil until the node is made.
    var nodeStatus: NodeStatus? {
        get async { await running.node?.status }
    }

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

/// The limits of one console. A request above a limit is refused, or its connection closed.
package enum ConsoleLimits {
    /// The most bytes of a body: as many as the longest values of an answer need, as a payload of
    /// EB1.
    static let bodyByteMax = 256 * 1024
    /// The most bytes of one header or of the request's line: the longest search has eight texts of
    /// 200 characters, each of up to 12 bytes in an address.
    static let headerByteMax = 24 * 1024
    /// The most bytes of all headers and the request's line.
    static let headersByteMax = 32 * 1024
    static let headerCountMax = 100
    /// The most connections at a time; another one waits.
    static let connectionCountMax = 128
    /// The most connections of one user; another one is refused (429), and closed.
    static let connectionCountMaxPerUser = 40
    /// The most connections at a time that have not shown the token; above it the oldest is closed.
    static let strangerCountMax = 64
    static let strangerCountMaxPerHost = 32
    /// The time that a connection may stay open after a request that is not HTTP.
    static let malformedTime = TimeAmount.seconds(1)
    /// Refusals of one kind are logged once in this time, then with the number of repetitions.
    static let refusalInterval: Duration = .seconds(10)
    /// The most event streams at a time; another one is refused (503).
    static let streamCountMax = 64
    /// The most event streams of one user.
    static let streamCountMaxPerUser = 12
    /// The most event streams from one address where all share one token: many people, behind a
    /// proxy.
    static let streamCountMaxPerAddress = 56
    /// The time from the connection to the end of its first request.
    static let requestTime = TimeAmount.seconds(10)
    /// The time from a response to the end of the next request.
    static let idleTime = TimeAmount.seconds(60)
    /// The time in which a client takes at least so many bytes of a response, or all that is left.
    static let stallTime = TimeAmount.seconds(10)
    static let stallByteCountMin = 8_192
    /// The time that a client may take to say farewell in TLS once a connection is closed.
    static let farewellTime = TimeAmount.seconds(1)
    /// The time that requests in progress may take when the node stops.
    static let shutdownTime: Duration = .milliseconds(300)

    /// The longest time that the reply to an answer waits until the answer is on record.
    static let recordTime: Duration = .seconds(5)
    /// The presentations or events that a search in memory compares before others get their turn.
    static let searchedAtOnce = 16
    /// The time that a search may take, with its wait for others.
    static let searchTime: Duration = .seconds(10)
    /// The time in which the other nodes have to send their status.
    static let statusTime: Duration = .seconds(1)

    /// The latest events that a chart counts, and presentations whose times to answer it compares,
    /// in less than a second; and the severities or domains that it names.
    static let chartEventMax = 200_000
    static let waitCountMax = 10_000
    static let waitPartMax = 8

    static let itemCountMax = 500
    static let pageMax = 10_000
    static let auditPage = 200
    static let groupCountMax = 200
    static let idCountMax = 100
    /// The members that an answer for a part of a group may name.
    package static let chosenCountMax = 1_000
    /// The most presentations that one answer is for without a confirmation.
    package static let unconfirmedCountMax = 10
    static let auditEventMax = 5_000
    static let auditFieldScalarMax = 1_000
    static let nameScalarMax = 200
    static let commentScalarMax = 1_000
    /// The most saved views of one user, and of all users with the views for everyone.
    static let viewCountMaxPerUser = 20
    static let viewCountMax = 10_000
    static let viewNameScalarMax = 40
    static let viewFilterScalarMax = 300
    /// The most scalars of a note; the most notes of a presentation are a limit of its inbox.
    static let noteScalarMax = 1_000
    /// The most bytes of the condition of a silence, as JSON.
    static let matchByteMax = 8 << 10
    /// The steps that comparing a silence with all open presentations may take, a second or less;
    /// and the number of steps at once, before others go on.
    static let matchStepMax = 100_000_000
    static let matchStepsAtOnce = 2_000_000
    /// The days that a trial of rules looks back at most, and by default; and the number of
    /// presentations that it compares, the latest.
    package static let trialDaysMax = 30
    package static let trialDays = 7
    package static let trialCountMax = 10_000
    /// The most scalars of a description in a list; the report has the whole description.
    static let descriptionScalarMax = 1_000
    static let messageInterval: Duration = .milliseconds(100)
    /// The time for which a message of an event stream is sent to other streams as well.
    static let messageLifetime: Duration = .seconds(1)
    static let pingInterval: Duration = .seconds(15)
    /// The time between two looks at whether the visitor of an event stream is still admitted.
    static let admissionInterval: Duration = .seconds(1)
}

/// A sort of work that a console does for one request at a time: each request reads many whole
/// reports.
final class OneAtATime: Sendable {
    private let what: String
    private let isUnderWay = Mutex(false)

    init(_ what: String) { self.what = what }

    /// Begins the work for one request.
    ///
    /// - Throws: 503 while another request is under way.
    func begin() throws(APIProblem) {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else {
            throw APIProblem(
                .serviceUnavailable, "busy",
                "another \(what) is under way: try again in a moment")
        }
    }

    func end() { isUnderWay.withLock { $0 = false } }
}
