/// A signal ended the work.
struct Interrupted: Error {
    let signal: Int32

    /// As a shell tells it.
    var exitCode: Int32 { 128 + signal }
}
