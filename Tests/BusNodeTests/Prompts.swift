import ErrorBusTesting
import Foundation

@testable import ErrorBus
@testable import ErrorBusCore

/// Prompts without a node around them.
enum Prompts {
    static func prompt(
        _ report: ErrorReport, origin: NodeName = "worker", path: [NodeName] = ["worker", "relay"],
        deadline: ContinuousClock.Instant? = nil,
        stateChanged: @escaping @Sendable (PresentationState) -> Void = { _ in }
    ) -> Prompt {
        let asked = Message.Present(id: .make(), origin: origin, path: path, payload: [])
        var context = PresentationContext(
            id: asked.id, received: ReceivedPresentation(asked), stateChanged: stateChanged)
        context.deadline = deadline
        return Prompt(report, in: context)
    }

    static func options(
        _ options: (id: String, title: String, role: ErrorReport.Option.Role?, isDefault: Bool)...
    ) -> [ErrorReport.Option] {
        options.map {
            ErrorReport.Option(
                id: $0.id, title: $0.title, role: $0.role, isDeclaredDefault: $0.isDefault)
        }
    }
}
