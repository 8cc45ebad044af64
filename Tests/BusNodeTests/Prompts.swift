import ErrorBusTesting
import Foundation

@testable import ErrorBus

/// Prompts without a node around them.
enum Prompts {
    static func prompt(_ report: ErrorReport) -> Prompt {
        Prompt(
            id: .make(), report: report, origin: "worker", path: ["worker", "relay"],
            retryCount: 0, deadline: nil, stateChanged: { _ in })
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
