"""Systems as environments of Gymnasium, for reinforcement learning. Need the extra `rl`."""

from mobod.errors import MobodError

try:
    import gymnasium as gymnasium
except ImportError as missing:
    raise MobodError("mobod.gym needs the package gymnasium. Install it: python -m pip install 'mobod[rl]'") from missing

from mobod.gym.system_env import SystemEnv
from mobod.gym.system_vector_env import SystemVectorEnv

__all__ = ["SystemEnv", "SystemVectorEnv"]
