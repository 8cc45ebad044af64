/// Items in the order in which they came, until the script takes them. One task at a time waits.
// Unchecked: see Scheduler.
final class Mailbox<Item: Sendable>: @unchecked Sendable {
    private(set) var unread: [Item] = []
    private let scheduler: Scheduler
    private var reader: (number: Int, continuation: UnsafeContinuation<Item?, Never>)?
    private var readerCount = 0

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    func add(_ item: Item) {
        guard let (_, continuation) = reader else { return unread.append(item) }
        reader = nil
        continuation.resume(returning: item)
    }

    /// The next one, or nil when none comes within so many milliseconds.
    func next(within limit: UInt64) async -> Item? {
        if !unread.isEmpty { return unread.removeFirst() }
        readerCount += 1
        let number = readerCount
        return await withUnsafeContinuation { continuation in
            reader = (number, continuation)
            scheduler.after(limit) { [self] in
                guard reader?.number == number else { return }
                reader = nil
                continuation.resume(returning: nil)
            }
        }
    }

    func clear() { unread = [] }
}
