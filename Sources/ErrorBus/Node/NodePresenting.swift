/// A node's own presenters, as the end of a chain or in front of its parent.
struct NodePresenting {
    private let chain: NodeParts.Chain

    /// Nil for a node that presents nothing itself.
    init?(_ settings: NodeSettings, _ parts: NodeParts) {
        if let presenting = parts.presenting {
            chain = presenting
        } else if !parts.presenters.isEmpty {
            chain = { next in
                PresentingResponder(
                    settings.name.description, presenters: parts.presenters, next: next,
                    cancellation: parts.cancellation, audit: parts.audit, logger: parts.logger)
            }
        } else {
            return nil
        }
    }

    func ending(in next: any Responder) -> any Responder { chain(next) }
}

/// The end of a chain that goes nowhere: what every presenter declined is told so.
struct CutEnd: Responder {
    let name: NodeName

    var responderName: String { name.description }
    var next: (any Responder)? { get async { nil } }
}
