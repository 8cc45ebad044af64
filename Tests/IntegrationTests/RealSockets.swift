import Testing

/// Every suite that opens sockets, one test after the other: some count descriptors and threads,
/// and two cores are soon full.
@Suite("Real sockets", .serialized, .timeLimit(.minutes(10)))
enum RealSockets {}
