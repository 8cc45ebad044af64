import ErrorBus

extension ConfigurationFailure {
    var exitStatus: ExitStatus {
        switch self {
        case .unreadable: .noInput
        case .invalid(let problems, _):
            problems.allSatisfy(\.isUnreadableFile) ? .noInput : .badConfiguration
        }
    }
}
