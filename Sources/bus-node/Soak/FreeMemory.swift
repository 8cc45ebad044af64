import ErrorBus
import Glibc

/// Memory that was freed and that malloc still holds, for whom resident memory shall tell what is
/// in use: after a burst it would tell of the burst.
enum FreeMemory {
    private typealias Trim = @convention(c) (Int) -> CInt

    /// Gives it back whenever the node's tables are empty, until the task is cancelled.
    static func keepGivingBack(of node: Node) async throws {
        while true {
            try await Task.sleep(for: .seconds(2))
            if await node.tableSizes.entryCount == 0 { giveBack() }
        }
    }

    /// malloc_trim(3), which Swift's Glibc does not show. Without it, nothing.
    static func giveBack() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
