import Foundation

/// The processes that tests have started, known to a process that kills them when this one ends,
/// however it ends: what a test leaves behind by a crash would not end by itself.
enum Survivors {
    /// Written to while this process lives; closed by the system when it does not.
    private static let watch: FileHandle? = {
        guard let input = try? Spawn.Pipe(), let none = FileHandle(forUpdatingAtPath: "/dev/null")
        else { return nil }
        // Each leads a group of its own.
        let script =
            """
            declare -A up
            while read -r verb pid; do
                # An end may be told before the beginning: they cancel each other out.
                if [[ ${up[$pid]-$verb} == "$verb" ]]
                then up[$pid]=$verb
                else unset "up[$pid]"
                fi
            done
            for pid in "${!up[@]}"; do
                [[ ${up[$pid]} == - ]] || kill -KILL -- "-$pid" "$pid" 2>/dev/null
            done
            """
        let started = try? Spawn.start(
            "/bin/bash", ["-c", script], environment: ProcessInfo.processInfo.environment,
            input: input.reading, output: none, errors: .standardError)
        return started.map { _ in input.writing }
    }()

    static func began(_ pid: pid_t) { tell("+ \(pid)\n") }
    static func ended(_ pid: pid_t) { tell("- \(pid)\n") }

    /// A line is written in one piece: it is shorter than what a pipe takes at once.
    private static func tell(_ line: String) { try? watch?.write(contentsOf: Data(line.utf8)) }
}
