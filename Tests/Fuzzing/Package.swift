// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since all of it is built with libFuzzer: `make fuzz`.
let package = Package(
    name: "ErrorBusFuzzing",
    dependencies: [.package(name: "ErrorBus", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "BusNodeKit", package: "ErrorBus"),
                .product(name: "ErrorBus", package: "ErrorBus"),
            ],
            path: ".",
            exclude: ["Corpus", "Tests"],
            sources: ["Fuzz", "Targets"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
