/// Which part of the repository may import what is not the standard library's.
struct ImportRule {
    let modules: Set<String>
    /// Path prefixes.
    let allowed: [String]

    static let all = [
        ImportRule(modules: ["CZMQ"], allowed: ["Sources/ErrorBus/ZMQ/", "Tests/"]),
        ImportRule(
            modules: [
                "ArgumentParser", "Yams", "Subprocess", "GRDB", "Hummingbird", "HummingbirdCore",
                "NIO", "NIOCore", "NIOPosix", "NIOHTTP1",
            ],
            allowed: [
                "Sources/bus-node/", "Tests/BusNodeTests/", "Tests/EndToEndTests/", "Benchmarks/",
            ]),
        // XCTest: Swift Testing only.
        ImportRule(modules: ["XCTest"], allowed: []),
    ]

    func violations(in file: SourceFile) -> [Violation] {
        guard !allowed.contains(where: file.path.hasPrefix) else { return [] }
        return file.imports.filter { modules.contains($0.module) }.map { module, line in
            let places = allowed.isEmpty ? "nowhere" : allowed.joined(separator: ", ")
            return Violation(
                file.path, line: line, "imports \(module), which is allowed in: \(places)")
        }
    }
}
