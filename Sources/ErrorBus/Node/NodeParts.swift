public import Logging

/// The parts of a node that are code, beside its settings.
public struct NodeParts: Sendable {
    /// A closure that puts responders in front of `next`, the node's presenters and its parent,
    /// and returns the head of the chain.
    public typealias Chain = @Sendable (_ next: any Responder) -> any Responder

    /// This process's own responders; nil for none.
    public var chain: Chain?
    /// The node's presenters: asked in order, after the responders.
    public var presenters: [any Presenter] = []
    /// Puts this node's presenters in front of `next`, for arrangements that the list
    /// ``presenters`` cannot express (a policy between two of them). Replaces ``presenters``.
    package var presenting: Chain?
    /// The destinations of rules that route, filled by the node that is made from these parts.
    package let routes = RouteTable()
    /// The store of this node's decisions, across its lives.
    package var journal: (any DecisionJournal)?
    /// Whether the node shows presentations again that may have been shown before a restart;
    /// otherwise it refuses them (410).
    package var asksAgainAfterRestart = true
    /// A closure that changes the report of each error of this process where the error enters the
    /// node, before a rule, a presenter, a ledger or another process gets it; nil for none. It
    /// removes what should not leave the process: `parts.redact = { $0.maskSecrets() }`. Called on
    /// the presenting task; must not wait. A second call with a report that it has changed must
    /// change nothing more. Errors of children pass unchanged.
    public var redact: (@Sendable (inout ErrorReport) -> Void)?
    /// The ledger of this node; nil for none.
    public var audit: (any AuditLog)?
    /// The origin of this process's presentations; nil: the node's own name.
    package var origin: NodeName?
    /// The keys of the node's tcp links; nil: links without keys, for loopback and ipc only.
    public var keys: KeyRing?
    /// The errors that count as user cancellations.
    public var cancellation = UserCancellation.standard
    package var times = LinkTimes()
    package var limits = LinkLimits()
    /// The logger of the node; its errors are in the node's status as well.
    public var logger: Logger
    /// The program's version, for the node's status.
    public var version = ""
    /// Records the errors that ``logger`` logs.
    let faults = RecentFaults()
    /// A closure that the node calls once it listens on every endpoint; must not wait.
    public var ready: @Sendable () -> Void = {}

    /// Parts with a logger and the defaults of everything else.
    ///
    /// - Parameter logger: The parts keep it as ``logger``, in a form that also records errors for
    ///   the node's status. Other parts of the program may use that form too.
    public init(logger: Logger) { self.logger = faults.watching(logger) }
}

extension NodeParts {
    /// `head`, with the redaction of this process's errors in front of it, if there is one.
    func redacting(before head: any Responder) -> any Responder {
        redact.map { RedactingResponder(following: head, redact: $0) } ?? head
    }
}

/// The entrance of a node for the errors of its own process: it redacts the report of each.
///
/// A responder may replace an error; the error that the caller's process keeps is unchanged, and so
/// is the attempter of its options.
struct RedactingResponder: Responder {
    let following: any Responder
    let redact: @Sendable (inout ErrorReport) -> Void

    var responderName: String { following.responderName }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await carryOn(context) { context in
            let isOwn = context.received == nil
            return await following.presentError(
                isOwn ? error.changed(redact) : error, in: context)
        }
    }
}
