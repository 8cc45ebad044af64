"""What the parts of the mock share."""
import datetime
import time


def stamp(moment=None):
    moment = time.time() if moment is None else moment
    text = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(
        timespec="milliseconds")
    return text.replace("+00:00", "Z")


class Refused(Exception):
    def __init__(self, status, error, message, **more):
        super().__init__(message)
        self.status = status
        self.body = {"error": error, "message": message, **more}
