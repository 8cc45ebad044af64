import Foundation

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// docs/openapi.yaml, as tests read it.
struct InterfaceDocument {
    struct Operation: Hashable {
        let method: String
        let path: String
    }

    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/openapi.yaml")

    private let root: ConfigurationNode

    init() throws {
        root = try YAMLConfiguration.read(
            Array(try Data(contentsOf: Self.file)), file: "openapi.yaml")
    }

    private func node(_ path: [String]) -> ConfigurationNode? {
        path.reduce(Optional(root)) { node, key in
            guard case .mapping(let fields)? = node?.value else { return nil }
            return fields.first { $0.key == key }?.value
        }
    }

    func keys(_ path: [String]) -> [String] { Self.names(in: node(path)) }

    private static func names(in node: ConfigurationNode?) -> [String] {
        guard case .mapping(let fields)? = node?.value else { return [] }
        return fields.map(\.key)
    }

    func text(_ path: [String]) -> String { Self.word(node(path)) }

    /// The elements of a list of texts.
    func texts(_ path: [String]) -> [String] {
        guard case .sequence(let texts)? = node(path)?.value else { return [] }
        return texts.map { Self.word($0) }
    }

    private static func word(_ node: ConfigurationNode?) -> String {
        guard case .scalar(let text, _)? = node?.value else { return "" }
        return text
    }

    var operations: [Operation] {
        keys(["paths"]).flatMap { path in
            keys(["paths", path]).filter { $0 != "parameters" }
                .map { Operation(method: $0, path: path) }
        }
    }

    /// What each way to prove who one is has to show; one element where all ask for the same.
    func needs(of operation: Operation) -> Set<ConsoleRoutes.Need> {
        let security = node(["paths", operation.path, operation.method, "security"])
        guard case .sequence(let ways)? = security?.value else { return [.admission] }
        // One that asks for nothing makes the others a choice.
        guard ways.allSatisfy({ !Self.names(in: $0).isEmpty }), !ways.isEmpty else {
            return [.nothing]
        }
        return Set(ways.flatMap { Self.needs(of: $0) })
    }

    private static func needs(of way: ConfigurationNode) -> [ConsoleRoutes.Need] {
        guard case .mapping(let fields) = way.value else { return [] }
        return fields.map { field in
            guard case .sequence(let roles) = field.value.value, let role = roles.first else {
                return .admission
            }
            return ConsolePermission(rawValue: word(role)).map { .permission($0) } ?? .nothing
        }
    }

    /// The statuses that an operation lists.
    func statuses(of operation: Operation) -> Set<Int> {
        Set(keys(["paths", operation.path, operation.method, "responses"]).compactMap { Int($0) })
    }
}
