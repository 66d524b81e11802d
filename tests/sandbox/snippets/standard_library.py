import os
import platform
import shutil
import signal
import sqlite3
import tempfile
import threading
import time
import uuid
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

with tempfile.TemporaryDirectory() as directory:
    first = Path(directory, "first")
    first.write_text("x")
    shutil.copy2(first, first.with_name("second"))
    shutil.move(first.with_name("second"), first.with_name("third"))
    with zipfile.ZipFile(first.with_name("packed"), "w") as packed:
        packed.write(first)
    with sqlite3.connect(first.with_name("table")) as connection:
        connection.execute("create table numbers (number)")
        connection.execute("insert into numbers values (1)")
    assert connection.execute("select * from numbers").fetchall() == [(1,)]
    connection.close()
    assert sorted(os.listdir(directory)) == ["first", "packed", "table", "third"]
    assert shutil.disk_usage(directory).total > 0

thread = threading.Thread(target=print, args=("from a thread",))
thread.start()
thread.join()
with ThreadPoolExecutor(2) as pool:
    assert list(pool.map(str, [1, 2])) == ["1", "2"]

heard = []
signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
signal.raise_signal(signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGUSR1)
signal.alarm(5)
signal.alarm(0)
assert heard == [signal.SIGUSR1] * 2

time.sleep(0.01)
assert platform.platform() and uuid.uuid4() and os.cpu_count()
