import Foundation

/// The processes that tests have started, known to a process that kills them when this one ends,
/// however it ends: what a test leaves behind by a crash would not end by itself.
enum Survivors {
    /// Written to while this process lives; closed by the system when it does not.
    private static let watch: FileHandle? = {
        let input = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // Each leads a group of its own.
        process.arguments = [
            "-c",
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
            """,
        ]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        return input.fileHandleForWriting
    }()

    static func began(_ pid: pid_t) { tell("+ \(pid)\n") }
    static func ended(_ pid: pid_t) { tell("- \(pid)\n") }

    /// A line is written in one piece: it is shorter than what a pipe takes at once.
    private static func tell(_ line: String) { try? watch?.write(contentsOf: Data(line.utf8)) }
}
