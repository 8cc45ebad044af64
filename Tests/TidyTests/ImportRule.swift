/// Which part of the repository may import what is not the standard library's. A module that is
/// built for one target can be imported by all: Package.swift alone does not keep it out.
struct ImportRule {
    let modules: Set<String>
    /// Path prefixes.
    let allowed: [String]

    static let all = [
        ImportRule(
            modules: ["CZMQ"],
            allowed: ["Sources/ErrorBus/ZMQ/", "Sources/ErrorBus/Security/", "Tests/"]),
        ImportRule(
            modules: ["ArgumentParser"],
            allowed: ["Sources/bus-node/", "Tests/BusNodeTests/", "Benchmarks/"]),
        ImportRule(
            modules: ["Yams", "GRDB"],
            allowed: ["Sources/BusNodeKit/", "Tests/BusNodeTests/", "Tests/EndToEndTests/"]),
        ImportRule(
            modules: ["Subprocess"],
            allowed: [
                "Sources/BusNodeKit/", "Tests/BusNodeTests/", "Tests/IntegrationTests/",
                "Tests/NodeSimulation/Tests/",
            ]),
        ImportRule(
            modules: [
                "Hummingbird", "HummingbirdCore", "NIO", "NIOCore", "NIOPosix", "NIOHTTP1",
            ],
            allowed: [
                "Sources/BusNodeKit/", "Sources/BusLab/", "Tests/BusNodeTests/",
                "Tests/EndToEndTests/",
            ]),
        ImportRule(
            modules: ["AsyncHTTPClient", "NIOSSL"],
            allowed: ["Sources/BusNodeKit/", "Tests/BusNodeTests/"]),
        ImportRule(
            modules: ["Crypto", "JWTKit"],
            allowed: ["Sources/BusNodeKit/", "Tests/BusNodeTests/"]),
        ImportRule(
            modules: ["BusLab", "BusNodeKit"],
            allowed: [
                "Sources/BusLab/", "Sources/bus-node/", "Tests/BusNodeTests/",
                "Tests/Fuzzing/Targets/",
            ]),
        // XCTest: Swift Testing only.
        ImportRule(modules: ["XCTest"], allowed: []),
    ]

    /// What the core may import: it decides, and does nothing.
    private static let ofTheCore: Set = [
        "DequeModule", "Foundation", "Glibc", "HeapModule", "OrderedCollections",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        let found = all.flatMap { $0.violations(in: file) }
        guard file.path.hasPrefix("Sources/ErrorBusCore/") else { return found }
        return found
            + file.imports.filter { !ofTheCore.contains($0.module) }.map { module, line in
                Violation(
                    file.path, line: line,
                    "imports \(module); the core may import: "
                        + ofTheCore.sorted().joined(separator: ", "))
            }
    }

    private func violations(in file: SourceFile) -> [Violation] {
        guard !allowed.contains(where: file.path.hasPrefix) else { return [] }
        return file.imports.filter { modules.contains($0.module) }.map { module, line in
            let places = allowed.isEmpty ? "nowhere" : allowed.joined(separator: ", ")
            return Violation(
                file.path, line: line, "imports \(module), which is allowed in: \(places)")
        }
    }
}
