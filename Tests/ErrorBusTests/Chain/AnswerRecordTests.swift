import ErrorBusTesting
import Testing

@testable import ErrorBus

@Suite("The record of an answer")
struct AnswerRecordTests {
    @Test("A wait for the record that was given up leaves no follower")
    func givenUp() async {
        let record = AnswerRecord()
        record.follow { _ in }
        for _ in 0..<3 {
            let waiting = Task { await record.wait() }
            waiting.cancel()
            await waiting.value
        }
        #expect(record.followerCount == 1)
        record.moved(to: .recorded)
        await record.wait()
        #expect(record.followerCount == 0)
    }

    @Test("The end of a record stands: a client that looks a moment too late delays nothing")
    func endStands() {
        let record = AnswerRecord()
        let standings = Recorder<AnswerRecord.Standing>()
        record.follow { standings.record($0) }
        let moves: [AnswerRecord.Standing] = [.delayed, .recorded, .delayed, .superseded()]
        for standing in moves { record.moved(to: standing) }
        #expect(record.standing == .recorded)
        #expect(standings.elements == [.delayed, .recorded])
    }
}
