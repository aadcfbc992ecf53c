"""A program whose processes meet by the rendezvous variables alone: each says whom it met."""

from __future__ import annotations

MEET = """
import os, socket, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    with socket.create_server(place) as door:
        door.settimeout(30)
        guests = []
        for _ in range(world - 1):
            guest, _ = door.accept()
            guests.append(int(guest.recv(9)))
            guest.sendall(b"0")
        print("met", sorted(guests))
else:
    for _ in range(100):
        try:
            guest = socket.create_connection(place, 1)
            break
        except OSError:
            time.sleep(0.1)
    guest.sendall(str(rank).encode())
    print("met", int(guest.recv(9)))
"""
