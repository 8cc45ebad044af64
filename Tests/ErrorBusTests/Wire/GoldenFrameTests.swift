import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The files of docs/wire.md, section 21, read and compared both ways.
@Suite struct GoldenFrameTests {
    @Test("there is a golden file for every verb, and they are read")
    func everyVerb() throws {
        let files = try GoldenFile.all()
        let verbs = Set(
            files.filter { $0.expectation == .ok }
                .map { String(decoding: $0.frames[1], as: UTF8.self) })
        #expect(verbs == Set(Verb.allCases.map(\.rawValue)))
        #expect(files.count >= 50)
    }

    @Test("each golden file has its expected outcome", arguments: try GoldenFile.all())
    func golden(_ file: GoldenFile) throws {
        switch file.expectation {
        case .ok:
            let message = try Message(frames: file.frames[...])
            #expect(file.isUp ? message.verb.goesUp : message.verb.goesDown)
            if file.isCanonical { #expect(message.frames == file.frames) }
            let again = try Message(frames: message.frames[...])
            #expect(again == message)
        case .bare:
            let frame = try #require(file.frames.first)
            let request = try BareRequest(frame)
            #expect(throws: Never.self) { try ErrorReport(payload: request.payload) }
        case .reject(403):
            let message = try Message(frames: file.frames[...])
            #expect(file.isUp ? !message.verb.goesUp : !message.verb.goesDown)
        case .reject(let code):
            #expect(refusal(of: file)?.rawValue == code)
        }
    }

    /// As a parent that reads reports refuses it.
    private func refusal(of file: GoldenFile) -> RejectCode? {
        do {
            if file.frames.count == 1 {
                _ = try BareRequest(file.frames[0])
                return nil
            }
            guard case .present(let present) = try Message(frames: file.frames[...]) else {
                return nil
            }
            _ = try ErrorReport(payload: present.payload)
            return nil
        } catch let error as WireError {
            return error.code
        } catch {
            return .malformed
        }
    }
}
