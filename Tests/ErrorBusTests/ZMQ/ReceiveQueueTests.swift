import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct ReceiveQueueTests {
    private func message(_ peer: UInt8, _ number: UInt8, byteCount: Int = 0) -> [Frame] {
        [[peer], [number], Frame(repeating: 0, count: byteCount)]
    }

    /// Of which peer each message is, in the order they are taken.
    private func peers(_ queue: inout ReceiveQueue) -> [UInt8] {
        var peers: [UInt8] = []
        while let (frames, _) = queue.next() { peers.append(frames[0][0]) }
        return peers
    }

    @Test("Each peer's messages keep their order")
    func order() {
        var queue = ReceiveQueue()
        for number in 0..<100 {
            let dropped = queue.add(message(1, UInt8(number)))
            #expect(dropped == nil)
        }
        var numbers: [UInt8] = []
        while let (frames, _) = queue.next() {
            numbers.append(frames[1][0])
        }
        #expect(numbers == Array(0..<100))
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test("A flooding peer delays the others by one message at a time")
    func fair() {
        var queue = ReceiveQueue()
        for number in 0..<200 { _ = queue.add(message(1, UInt8(number))) }
        _ = queue.add(message(2, 0))
        _ = queue.add(message(3, 0))
        _ = queue.add(message(3, 1))
        let taken = peers(&queue)
        #expect(taken.count == 203)
        #expect(Set(taken.prefix(3)) == [1, 2, 3])
        #expect(Set(taken.prefix(5).dropFirst(3)) == [1, 3])
    }

    @Test("A parent has one line, whatever its messages begin with")
    func parent() {
        var queue = ReceiveQueue(isOfParent: true, byteCountMax: 8 << 20)
        var droppedCount = 0
        for number in 0..<100_000 {
            let first = Frame("\(number)".utf8)
            droppedCount += queue.add([first]) ?? 0
        }
        #expect(droppedCount == 0 && queue.lineCount == 1)
        let sent = Frame(repeating: 1, count: 1_000)
        while queue.hasRoom(for: nil, key: nil) { droppedCount += queue.add([sent]) ?? 0 }
        #expect(droppedCount > 0)
        #expect(queue.next()?.frames == [Frame("0".utf8)])
    }

    @Test("The connections of one key have one line")
    func keyed() throws {
        let flooding = try #require(KeyPair.make()).publicKey
        let good = try #require(KeyPair.make()).publicKey
        var queue = ReceiveQueue()
        for peer in UInt8(1)...100 { _ = queue.add(message(peer, 0), from: flooding) }
        _ = queue.add(message(200, 0), from: good)
        _ = queue.add(message(200, 1), from: good)
        let taken = peers(&queue)
        #expect(taken.count == 102)
        #expect(taken.prefix(4).count { $0 == 200 } == 2)
    }

    @Test("Floods share a bounded memory, and a peer within its limits loses nothing")
    func bounded() {
        var queue = ReceiveQueue(byteCountMax: 1_000_000)
        var droppedCount = 0
        _ = queue.add(message(200, 0, byteCount: 300))
        // One after the other: the first ones had all of it to themselves.
        for peer in UInt8(1)...100 {
            for _ in 0..<1_000 {
                let dropped = queue.add(message(peer, 0, byteCount: 100))
                droppedCount += dropped ?? 0
                #expect(queue.byteCount <= 1_000_000)
            }
        }
        _ = queue.add(message(201, 0, byteCount: 300))
        let taken = peers(&queue)
        #expect(taken.count + droppedCount == 100_002)
        #expect(taken.count { $0 >= 200 } == 2)
        #expect(Set(taken).count == 102)
        #expect(queue.byteCount == 0)
    }

    @Test("A full queue drops a little at a time: what is freed at once delays every peer")
    func dropsLittle() {
        var queue = ReceiveQueue(byteCountMax: 8 << 20)
        let sent = message(1, 0, byteCount: 100)
        // As the queue counts: the bytes of its frames, and 64 for each.
        let size = sent.reduce(0) { $0 + $1.count + 64 }
        let atOnce = ReceiveQueue.dropByteCountMax / size + 2
        var drops: [Int] = []
        for _ in 0..<100_000 {
            if let count = queue.add(sent) { drops.append(count) }
        }
        #expect(drops.count > 10)
        #expect(drops.allSatisfy { $0 <= atOnce && $0 > atOnce / 2 })
        #expect(queue.byteCount <= 8 << 20)
        let large = message(2, 0, byteCount: 1 << 20)
        #expect(queue.add(large) != nil)
        #expect(queue.byteCount <= 8 << 20)
    }

    @Test("What would be dropped again need not be copied; a short line has room")
    func refusesBefore() throws {
        let key = try #require(KeyPair.make()).publicKey
        var queue = ReceiveQueue(byteCountMax: 8 << 20)
        let peers = (UInt8(1)...8).map { message($0, 0, byteCount: 1_000) }
        func hasRoom(_ peer: UInt8) -> Bool { queue.hasRoom(for: [peer], key: nil) }
        var (addedCount, droppedCount) = (0, 0)
        for _ in 0..<20_000 {
            for peer in peers where hasRoom(peer[0][0]) {
                addedCount += 1
                droppedCount += queue.add(peer) ?? 0
            }
        }
        #expect(droppedCount > 0)
        // Without the refusal 160,000 were added.
        #expect(addedCount < 20_000)
        #expect(!hasRoom(1) && !hasRoom(8) && hasRoom(9))
        #expect(queue.hasRoom(for: [1], key: key))
        while queue.byteCount + ReceiveQueue.dropByteCountMax >= 8 << 20 { _ = queue.next() }
        #expect(hasRoom(1))
    }

    @Test("A short line has room while one peer holds the full queue")
    func shortLine() {
        var queue = ReceiveQueue(byteCountMax: 8 << 20)
        func hasRoom(_ peer: UInt8) -> Bool { queue.hasRoom(for: [peer], key: nil) }
        // Dropped is the last message of one of them, which leaves next to nothing.
        for peer in UInt8(1)...4 {
            _ = queue.add(message(peer, 0))
            _ = queue.add(message(peer, 1, byteCount: 2 << 20))
        }
        while hasRoom(6) { _ = queue.add(message(6, 0, byteCount: 1_000)) }
        _ = queue.add(message(7, 0))
        #expect(hasRoom(7))
    }

    @Test("A message larger than the whole queue is dropped, and the rest goes on")
    func tooLong() {
        var queue = ReceiveQueue(byteCountMax: 1_000)
        _ = queue.add(message(1, 0))
        let dropped = queue.add(message(2, 0, byteCount: 2_000))
        #expect(dropped == 1)
        #expect(peers(&queue) == [1])
        #expect(queue.isEmpty)
    }
}
