import Dispatch
import Glibc

/// libc's random numbers, lent to libzmq without a trace in the host's own.
enum RandomSequence {
    /// Bytes of glibc's usual generator.
    private static let stateByteCount = 128
    private static let turn = DispatchSemaphore(value: 1)

    /// Runs `body` with `rand()` seeded from the system's entropy. Then the host's sequence goes on
    /// where it was: a program that called `srand(42)` gets the numbers it expects.
    static func withEntropy<Value>(_ body: () -> Value) -> Value {
        turn.wait()
        defer { turn.signal() }
        var state = [CChar](repeating: 0, count: stateByteCount)
        return state.withUnsafeMutableBufferPointer { buffer in
            let seed = UInt32.random(in: 0...UInt32.max)
            // Nil only for a buffer that is too small.
            let former = buffer.baseAddress.flatMap { initstate(seed, $0, buffer.count) }
            defer { _ = former.map { setstate($0) } }
            return body()
        }
    }
}
