import Dispatch

/// Simulations compute for long and wait for nothing: on threads of their own, or tests that
/// measure time would find the shared ones taken.
enum OwnThread {
    private static let queue = DispatchQueue(label: "simulation")

    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
