import Glibc

/// The time that the calling thread has worked, whatever else the machine does.
enum ThreadTime {
    static var now: Duration {
        // The two words of a `timespec`: which module gives its members depends on what else the
        // tests import.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutableBytes(of: &time) { bytes in
            let words = bytes.assumingMemoryBound(to: timespec.self)
            if let time = words.baseAddress { clock_gettime(CLOCK_THREAD_CPUTIME_ID, time) }
        }
        return .seconds(time.seconds) + .nanoseconds(time.nanoseconds)
    }
}
