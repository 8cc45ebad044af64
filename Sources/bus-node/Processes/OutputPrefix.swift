import ErrorBus
import Glibc

/// The node's name in front of each of its lines, in a colour of its own on a terminal.
struct OutputPrefix: Sendable {
    private static let colors = [36, 33, 32, 35, 34, 31]

    let text: String

    init(_ name: NodeName, names: [NodeName], color: Int) {
        let width = names.map(\.description.count).max() ?? 0
        let padded = name.description.padding(toLength: width)
        text =
            isatty(STDERR_FILENO) != 0
            ? "\u{1B}[\(Self.colors[color % Self.colors.count])m\(padded) |\u{1B}[0m "
            : "\(padded) | "
    }
}

extension String {
    func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
