/// A node's own presenters, as the end of a chain or in front of its parent.
struct NodePresenting {
    private let settings: NodeSettings
    private let parts: NodeParts
    private let chain: NodeParts.Chain

    /// The presenters of these parts; nil for a node without presenters.
    init?(_ settings: NodeSettings, _ parts: NodeParts) {
        self.settings = settings
        self.parts = parts
        if let presenting = parts.presenting {
            chain = presenting
        } else if !parts.presenters.isEmpty {
            chain = { next in
                PresentingResponder(
                    settings.name.description, presenters: parts.presenters, next: next,
                    cancellation: parts.cancellation, journal: parts.journal,
                    audit: parts.audit, logger: parts.logger)
            }
        } else {
            return nil
        }
    }

    func ending(in next: any Responder) -> any Responder {
        var presenters = chain(next)
        if let journal = parts.journal {
            presenters = JournalResponder(
                settings.name, next: presenters, journal: journal, audit: parts.audit,
                asksAgain: parts.asksAgainAfterRestart, logger: parts.logger)
        }
        guard let deadline = settings.deadline else { return presenters }
        return DeadlineResponder(
            name: settings.name, deadline: deadline, following: presenters)
    }
}

/// The end of a chain without a next responder: refuses errors that every presenter declined.
struct CutEnd: Responder {
    let name: NodeName

    var responderName: String { name.description }
    var next: (any Responder)? { get async { nil } }
}

/// A responder that gives this process's own presentations the node's deadline if they have none.
/// Presentations of children have their origin's deadline, or none.
private struct DeadlineResponder: Responder {
    let name: NodeName
    let deadline: Duration
    let following: any Responder

    var responderName: String { name.description }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await carryOn(context) { context in
            var context = context
            if context.received == nil {
                context.deadline = context.deadline ?? .now + deadline
            }
            return await following.presentError(error, in: context)
        }
    }
}
