import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct RandomSequenceTests {
    // In a process of its own: the sequence is the whole process's.
    @Test("The host's random numbers continue without a gap")
    func hostSequence() async {
        await #expect(processExitsWith: .success) {
            srand(42)
            let expected = [rand(), rand(), rand()]
            srand(42)
            var found = [rand()]
            let first = RandomSequence.withEntropy { rand() }
            found.append(rand())
            let second = RandomSequence.withEntropy { rand() }
            found.append(rand())
            exit(found == expected && first != second ? 0 : 1)
        }
    }
}
