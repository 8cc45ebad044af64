/// Gives this process's own presentations the node's deadline where they have none. A child's
/// come with their origin's, or were asked without one.
struct DeadlineResponder: Responder {
    let name: NodeName
    let deadline: Duration
    let following: any Responder

    var responderName: String { name.description }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            var context = context
            if PresentedOrigin.current == nil {
                context.deadline = context.deadline ?? .now + deadline
            }
            return await following.receive(error, in: context)
        }
    }
}
