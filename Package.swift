// swift-tools-version: 6.2
import PackageDescription

// One place for the settings every target shares.
var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// `CI=true make lint` sets it: our warnings are errors there, those of dependencies are not.
if Context.environment["ERRORBUS_WARNINGS_AS_ERRORS"] == "1" {
    settings.append(.treatAllWarnings(as: .error))
}

let package = Package(
    name: "ErrorBus",
    products: [
        .library(name: "ErrorBus", targets: ["ErrorBus"]),
        .library(name: "ErrorBusTesting", targets: ["ErrorBusTesting"]),
        .executable(name: "bus-node", targets: ["bus-node"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.3.0"),
        // What the console's request handlers name of them.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    ],
    targets: [
        // No pkgConfig: Debian's libzmq.pc carries -isystem, which SwiftPM refuses with a warning.
        .systemLibrary(name: "CZMQ", providers: [.apt(["libzmq3-dev", "libsodium-dev"])]),
        // The decisions: reports, messages and machines, without threads, sockets and clocks.
        .target(
            name: "ErrorBusCore",
            dependencies: [
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // What a user of the library imports, the public types of the core among it.
        .target(
            name: "ErrorBus",
            dependencies: [
                "CZMQ", "ErrorBusCore",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "ErrorBusTesting",
            dependencies: [
                "ErrorBus",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // What bus-node is made of; only the commands and the tests see it.
        .target(
            name: "BusNodeKit",
            dependencies: [
                "ErrorBus",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                // Subprocess names its descriptors and paths.
                .product(name: "SystemPackage", package: "swift-system"),
                // The console.
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                // Requests to consoles and hooks, their certificates and signatures.
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                // The signatures of identity providers.
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            resources: [
                .embedInCode("Console/openapi.yaml"),
                .embedInCode("Console/Page/acting.js"),
                .embedInCode("Console/Page/address.js"),
                .embedInCode("Console/Page/alerts.js"),
                .embedInCode("Console/Page/answer-link.js"),
                .embedInCode("Console/Page/answering.js"),
                .embedInCode("Console/Page/api.js"),
                .embedInCode("Console/Page/arrival.js"),
                .embedInCode("Console/Page/audit.js"),
                .embedInCode("Console/Page/base.css"),
                .embedInCode("Console/Page/chart.js"),
                .embedInCode("Console/Page/comment.js"),
                .embedInCode("Console/Page/console.html"),
                .embedInCode("Console/Page/decide.js"),
                .embedInCode("Console/Page/detail.js"),
                .embedInCode("Console/Page/dialogs.js"),
                .embedInCode("Console/Page/elements.js"),
                .embedInCode("Console/Page/facts.js"),
                .embedInCode("Console/Page/filter-box.js"),
                .embedInCode("Console/Page/filter.js"),
                .embedInCode("Console/Page/forest.js"),
                .embedInCode("Console/Page/frame.js"),
                .embedInCode("Console/Page/group-box.js"),
                .embedInCode("Console/Page/group.js"),
                .embedInCode("Console/Page/history.js"),
                .embedInCode("Console/Page/icon.js"),
                .embedInCode("Console/Page/inbox.css"),
                .embedInCode("Console/Page/keys.js"),
                .embedInCode("Console/Page/letters.js"),
                .embedInCode("Console/Page/limit.js"),
                .embedInCode("Console/Page/link.js"),
                .embedInCode("Console/Page/list.js"),
                .embedInCode("Console/Page/main.js"),
                .embedInCode("Console/Page/modal.js"),
                .embedInCode("Console/Page/news.js"),
                .embedInCode("Console/Page/notes.js"),
                .embedInCode("Console/Page/notifications.js"),
                .embedInCode("Console/Page/option-search.js"),
                .embedInCode("Console/Page/order.js"),
                .embedInCode("Console/Page/overview.js"),
                .embedInCode("Console/Page/past-filter.js"),
                .embedInCode("Console/Page/past-list.js"),
                .embedInCode("Console/Page/patterns.js"),
                .embedInCode("Console/Page/phone.css"),
                .embedInCode("Console/Page/picking.js"),
                .embedInCode("Console/Page/reminders.js"),
                .embedInCode("Console/Page/row.js"),
                .embedInCode("Console/Page/rows.js"),
                .embedInCode("Console/Page/rule-form.js"),
                .embedInCode("Console/Page/saved-views.js"),
                .embedInCode("Console/Page/sentences.js"),
                .embedInCode("Console/Page/silence-fields.js"),
                .embedInCode("Console/Page/silence-form.js"),
                .embedInCode("Console/Page/silence-list.js"),
                .embedInCode("Console/Page/silences.js"),
                .embedInCode("Console/Page/sound.js"),
                .embedInCode("Console/Page/state.js"),
                .embedInCode("Console/Page/store.js"),
                .embedInCode("Console/Page/stream.js"),
                .embedInCode("Console/Page/term-box.js"),
                .embedInCode("Console/Page/text-block.js"),
                .embedInCode("Console/Page/text.js"),
                .embedInCode("Console/Page/thresholds.js"),
                .embedInCode("Console/Page/topology.js"),
                .embedInCode("Console/Page/two-people.js"),
                .embedInCode("Console/Page/undoing.js"),
                .embedInCode("Console/Page/values.js"),
                .embedInCode("Console/Page/views.css"),
                .embedInCode("Console/Page/views.js"),
            ],
            swiftSettings: settings),
        // The bus under faults and under load: proxy, chaos, soak, and the checks of their ledgers.
        .target(
            name: "BusLab",
            dependencies: [
                "BusNodeKit", "ErrorBus",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                // The proxy's HTTP interface.
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "bus-node",
            dependencies: [
                "BusLab", "BusNodeKit", "ErrorBus",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The service to copy, built from what is public alone.
        .executableTarget(
            name: "billing",
            dependencies: [
                "ErrorBus",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Examples/worker/Sources/billing", packageAccess: false,
            swiftSettings: settings),
        .testTarget(
            name: "BillingTests",
            dependencies: [
                "billing", "ErrorBus", "ErrorBusTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Examples/worker/Tests/BillingTests", packageAccess: false,
            swiftSettings: settings),
        .testTarget(
            name: "ErrorBusTests",
            dependencies: ["ErrorBus", "ErrorBusCore", "ErrorBusTesting"],
            resources: [.copy("Golden")],
            swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "ErrorBus", "ErrorBusCore", "ErrorBusTesting", "CZMQ",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // What the simulator stands on in place of the machine: time, chance and threads.
        .target(name: "CSimulation", path: "Tests/NodeSimulation/CSimulation"),
        // A program, since it takes over the whole process; with neither console nor database.
        .executableTarget(
            name: "node-simulator",
            dependencies: [
                "CSimulation", "ErrorBus",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/NodeSimulation/Simulator",
            swiftSettings: settings),
        // Starts that program; linked with it, the tests' own process would be taken over.
        .testTarget(
            name: "NodeSimulationTests",
            dependencies: [
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/NodeSimulation/Tests",
            resources: [.copy("found-seeds.txt")],
            swiftSettings: settings),
        // The program of `make fuzz` is compiled here, too, so that it stays one that compiles.
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["BusNodeKit", "ErrorBus", "ErrorBusCore"],
            path: "Tests/Fuzzing",
            exclude: ["Corpus"],
            sources: ["Fuzz", "Targets", "Tests"],
            swiftSettings: settings),
        .testTarget(
            name: "BusNodeTests",
            dependencies: [
                "BusLab", "BusNodeKit", "bus-node", "ErrorBus", "ErrorBusCore", "ErrorBusTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            // Read where they lie.
            exclude: ["InboxScreen/Golden"],
            swiftSettings: settings),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["CSpawn", "ErrorBus", "ErrorBusTesting", "bus-node"],
            // Read where they lie.
            exclude: [
                "Console/Certificates", "Console/slack_stand_in.py", "Console/storm_of_causes.py",
            ],
            swiftSettings: settings),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ]
)

// `make fuzz` sets it: all of its program is built with libFuzzer, in a folder of its own. A source
// belongs to one target only.
if Context.environment["ERRORBUS_FUZZING"] == "1" {
    package.targets.removeAll { $0.name == "FuzzingTests" }
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: ["BusNodeKit", "ErrorBus", "ErrorBusCore"],
            path: "Tests/Fuzzing",
            exclude: ["Corpus", "Tests"],
            sources: ["Fuzz", "Targets"],
            swiftSettings: settings))
}
