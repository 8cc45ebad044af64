/// How long something has lasted, for people: two units at most.
enum AgeText {
    static func text(milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
        }
    }
}
