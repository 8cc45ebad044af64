// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "billing",
    dependencies: [
        .package(name: "errorbus", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "billing",
            dependencies: [
                .product(name: "ErrorBus", package: "errorbus"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "BillingTests",
            dependencies: [
                "billing",
                .product(name: "ErrorBusTesting", package: "errorbus"),
            ]),
    ])
