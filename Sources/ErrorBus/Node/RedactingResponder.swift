/// The entrance of a node for the errors of its own process: the report of each is redacted here.
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

extension NodeParts {
    /// `head`, with the redaction of this process's errors in front of it, if there is one.
    func redacting(before head: any Responder) -> any Responder {
        redact.map { RedactingResponder(following: head, redact: $0) } ?? head
    }
}
